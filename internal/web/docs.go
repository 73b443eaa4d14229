package web

func (s *Site) docs(v *visit) (*view, error) { return s.nowhere(v) }
