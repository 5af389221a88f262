// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Mutant is one change of the source, in what file and function and of what text.
type Mutant struct {
	Number   int    `json:"number"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Kind     string `json:"kind"`
	Text     string `json:"text"`
}

// The kinds of change.
const (
	negated  = "negated"  // a condition becomes its opposite
	part     = "part"     // one of two conditions that are joined counts no more
	boundary = "boundary" // < becomes <=, and the like
	omission = "omission" // a call, an assignment or a count is left out
	leaving  = "leaving"  // a continue or a break is left out
)

// unheard is what no mutant may be of: what it changes is heard of by logs, metrics or the race detector alone.
var unheard = []string{"logger", "klog", "metrics", "utilruntime", "Lock()", "trace.", "EventRecorder()", "cond."}

// Mutate puts every mutant into the source of a file; they are numbered on from first.
func Mutate(name string, source []byte, first int) ([]byte, []Mutant, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	w := &writer{name: name, source: source, files: files, next: first}
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil {
			w.function = function.Name.Name
			ast.Inspect(function.Body, w.visit)
		}
	}
	if len(w.mutants) == 0 {
		return source, nil, nil
	}
	w.insert(file.Name.End(), "\n\nimport \""+switchImport+"\"\n")
	return w.result(), w.mutants, nil
}

type writer struct {
	name     string
	source   []byte
	files    *token.FileSet
	function string
	next     int
	mutants  []Mutant
	edits    []edit
}

// edit is an insertion. Those that begin a wrapping stand outside of those that were made later, and those
// that end it do so as well.
type edit struct {
	offset int
	text   string
	ends   bool
	width  int
	serial int
}

func (w *writer) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.IfStmt:
		w.condition(n.Cond)
		return w.only(n.Cond, n.Body, n.Else)
	case *ast.ForStmt:
		return w.only(n.Body)
	case *ast.SwitchStmt:
		return w.only(n.Body)
	case *ast.TypeSwitchStmt:
		return w.only(n.Body)
	case *ast.SelectStmt, *ast.DeferStmt:
		return false
	case *ast.BinaryExpr:
		w.binary(n)
	case *ast.ExprStmt:
		w.leftOut(n, omission)
	case *ast.IncDecStmt:
		w.leftOut(n, omission)
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE && !strings.Contains(w.text(n), "err") {
			w.leftOut(n, omission)
		}
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE || n.Tok == token.BREAK {
			w.leftOut(n, leaving)
		}
	case *ast.CallExpr:
		return !isUnheard(w.text(n.Fun))
	}
	return true
}

// only goes on with these of a node's parts: a clause that begins an if or a for can be no block.
func (w *writer) only(parts ...ast.Node) bool {
	for _, each := range parts {
		if each != nil {
			ast.Inspect(each, w.visit)
		}
	}
	return false
}

func (w *writer) condition(condition ast.Expr) {
	text := w.text(condition)
	if !isUnheard(text) && !strings.Contains(text, "err ") {
		w.wrap(condition, "mutantswitch.Not(%d, ", ")", negated, condition)
	}
}

func (w *writer) binary(n *ast.BinaryExpr) {
	if isUnheard(w.text(n)) {
		return
	}
	switch n.Op {
	case token.LAND:
		w.wrap(n.X, "mutantswitch.True(%d, ", ")", part, n.X)
		w.wrap(n.Y, "mutantswitch.True(%d, ", ")", part, n.Y)
	case token.LOR:
		w.wrap(n.X, "mutantswitch.False(%d, ", ")", part, n.X)
		w.wrap(n.Y, "mutantswitch.False(%d, ", ")", part, n.Y)
	}
	other, ordered := map[token.Token]string{
		token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	}[n.Op]
	if ordered {
		after := fmt.Sprintf(", (%s) %s (%s))", w.text(n.X), other, w.text(n.Y))
		w.wrap(n, "mutantswitch.Else(%d, ", after, boundary, n)
	}
}

func (w *writer) leftOut(statement ast.Stmt, kind string) {
	text := w.text(statement)
	if !isUnheard(text) && !strings.HasPrefix(text, "panic") && !strings.HasPrefix(text, "<-") {
		w.wrap(statement, "if !mutantswitch.On(%d) { ", " }", kind, statement)
	}
}

func isUnheard(text string) bool {
	return slices.ContainsFunc(unheard, func(word string) bool { return strings.Contains(text, word) })
}

// --- Edits ----------------------------------------------------------------------------------------

func (w *writer) wrap(node ast.Node, before, after, kind string, told ast.Node) {
	line, _, more := strings.Cut(w.text(told), "\n")
	if more {
		line += " …"
	}
	w.mutants = append(w.mutants, Mutant{
		Number:   w.next,
		File:     w.name,
		Line:     w.files.Position(told.Pos()).Line,
		Function: w.function,
		Kind:     kind,
		Text:     line,
	})
	width := w.offset(node.End()) - w.offset(node.Pos())
	serial := len(w.edits)
	w.edits = append(w.edits,
		edit{w.offset(node.Pos()), fmt.Sprintf(before, w.next), false, width, serial},
		edit{w.offset(node.End()), after, true, width, serial})
	w.next++
}

func (w *writer) insert(at token.Pos, text string) {
	w.edits = append(w.edits, edit{w.offset(at), text, true, 0, 0})
}

// result is the source with all edits. At one offset what ends comes first, the inner before the outer; then
// what begins, the outer before the inner.
func (w *writer) result() []byte {
	slices.SortStableFunc(w.edits, func(a, b edit) int {
		if a.offset != b.offset {
			return a.offset - b.offset
		}
		if a.ends != b.ends {
			if a.ends {
				return -1
			}
			return 1
		}
		outerFirst := b.width - a.width
		if outerFirst == 0 {
			outerFirst = a.serial - b.serial
		}
		if a.ends {
			return -outerFirst
		}
		return outerFirst
	})
	var out []byte
	last := 0
	for _, each := range w.edits {
		out = append(append(out, w.source[last:each.offset]...), each.text...)
		last = each.offset
	}
	return append(out, w.source[last:]...)
}

func (w *writer) offset(at token.Pos) int { return w.files.Position(at).Offset }

func (w *writer) text(node ast.Node) string {
	return string(w.source[w.offset(node.Pos()):w.offset(node.End())])
}
