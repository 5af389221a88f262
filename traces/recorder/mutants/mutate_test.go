// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

const source = `package queue

func pop(pods []string, most int) (popped []string) {
	for i := 0; i < most; i++ {
		if next := pods[i]; next == "" || len(next) > most {
			continue
		}
		popped = append(popped, pods[i])
	}
	return popped
}
`

func TestEachMutantStandsBehindASwitchOfItsOwn(t *testing.T) {
	mutated, mutants, err := Mutate("queue.go", []byte(source), 7)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for index, mutant := range mutants {
		if mutant.Number != 7+index || mutant.File != "queue.go" || mutant.Function != "pop" {
			t.Errorf("not as expected: %+v", mutant)
		}
		kinds = append(kinds, mutant.Kind)
	}
	if got := strings.Join(kinds, " "); got != "negated part part boundary leaving omission" {
		t.Errorf("kinds: %s", got)
	}
	for _, want := range []string{
		`if next := pods[i]; mutantswitch.Not(7, mutantswitch.False(8, next == "") || mutantswitch.False(9, mutantswitch.Else(10, len(next) > most, (len(next)) >= (most)))) {`,
		`if !mutantswitch.On(11) { continue }`,
		`if !mutantswitch.On(12) { popped = append(popped, pods[i]) }`,
		`for i := 0; i < most; i++ {`,
	} {
		if !strings.Contains(string(mutated), want) {
			t.Errorf("%s\nis not in\n%s", want, mutated)
		}
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "queue.go", mutated, 0); err != nil {
		t.Error(err)
	}
}

func TestWhatOnlyLogsIsLeftAlone(t *testing.T) {
	quiet := "package queue\n\nfunc tell() {\n\tklog.Info(1 < 2)\n}\n"
	mutated, mutants, err := Mutate("queue.go", []byte(quiet), 1)
	if err != nil || len(mutants) != 0 || string(mutated) != quiet {
		t.Errorf("%v, %v, %s", err, mutants, mutated)
	}
}

func TestWhatIsNoGoIsAnError(t *testing.T) {
	if _, _, err := Mutate("queue.go", []byte("package"), 1); err == nil {
		t.Error("no error")
	}
}
