package web

func (s *Site) reports(v *visit) (*view, error) { return s.nowhere(v) }
func (s *Site) report(v *visit) (*view, error) { return s.nowhere(v) }
