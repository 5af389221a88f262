// SPDX-License-Identifier: Apache-2.0

// The program mutants puts mutants into a copy of kube-scheduler's source, all of them at once, each behind
// a switch of its own:
//
//	mutants FOLDER LIST.json FILE...
//
// FOLDER is pkg/scheduler of the copy, and FILE stands below it. The list tells each mutant's number, file,
// line, function, kind and text. Exit code 2 where a file cannot be read, or is not Go.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed switch.go.txt
var switchSource []byte

const (
	switchFolder = "mutantswitch"
	switchImport = "k8s.io/kubernetes/pkg/scheduler/mutantswitch"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: mutants FOLDER LIST.json FILE...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}

func run(folder, list string, files []string) error {
	mutants := []Mutant{}
	for _, name := range files {
		path := filepath.Join(folder, name)
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		mutated, found, err := Mutate(name, source, len(mutants)+1)
		if err != nil {
			return err
		}
		mutants = append(mutants, found...)
		if err := os.WriteFile(path, mutated, 0o644); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(folder, switchFolder), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, switchFolder, "switch.go"), switchSource, 0o644); err != nil {
		return err
	}
	told, err := json.Marshal(mutants)
	if err != nil {
		return err
	}
	return os.WriteFile(list, told, 0o644)
}
