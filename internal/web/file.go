package web

func (s *Site) draft(v *visit) (*view, error) { return s.nowhere(v) }
func (s *Site) file(v *visit) (*view, error) { return s.nowhere(v) }
