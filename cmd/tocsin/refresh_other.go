//go:build !linux

package main

import "os"

// thisProgram is the file of this process.
func thisProgram() (string, error) { return os.Executable() }

// yield does nothing: it is for Linux.
func yield(int) {}
