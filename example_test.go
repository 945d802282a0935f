package sightline_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sightline-io/sightline"
)

// tree makes a folder that holds one file.
func tree(name, text string) string {
	dir, err := os.MkdirTemp("", "sightline")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
	return dir
}

// open serves the folder for one conversation. What done gives back is the folder and all that is known of it.
func open(dir string) (s *sightline.Session, done func()) {
	ws, err := sightline.Open(context.Background(), sightline.Options{Root: dir})
	if err != nil {
		log.Fatal(err)
	}
	if s, err = ws.Session("conversation-1"); err != nil {
		log.Fatal(err)
	}
	return s, func() {
		if err := errors.Join(ws.Close(), os.RemoveAll(dir)); err != nil {
			log.Fatal(err)
		}
	}
}

// contents prints what lies on disk.
func contents(dir, name string) {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", b)
}

// A page is shown numbered and, below it, tells what else a reader should know. What it shows counts once its answer
// has left; without a Delivery that is when Read returns.
func ExampleSession_Read() {
	dir := tree("app.go", "package app\n\nvar a = 1\nvar b = 2\n")
	s, done := open(dir)
	defer done()

	page, err := s.Read(context.Background(), sightline.ReadRequest{
		Path:  "app.go",
		Lines: []sightline.Lines{{From: 2, To: 4}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", page.Shown)
	// Output:
	//      3	var a = 1
	//      4	var b = 2
	//
	// [sightline] lines 3-4 of 4
}

// An edit of a line that was never shown is refused. The refusal names the line, holds its current text, and says what
// to do next: here the very same call, which is admitted then, because the refusal has shown the line.
func ExampleSession_Edit() {
	dir := tree("app.go", "package app\n\nvar a = 1\nvar b = 2\n")
	s, done := open(dir)
	defer done()

	edit := sightline.EditRequest{
		Path:  "app.go",
		Edits: []sightline.Op{sightline.ReplaceText{Old: "b = 2", New: "b = 20"}},
	}
	_, err := s.Edit(context.Background(), edit)
	var refusal *sightline.Error
	if !errors.As(err, &refusal) {
		log.Fatal("the edit was not refused: ", err)
	}
	fmt.Println(refusal.Code)
	fmt.Println(refusal.Text())
	for _, shown := range refusal.Cure.Text {
		fmt.Printf("line %d: %s", shown.Lines.From+1, shown.Text)
	}

	if refusal.Cure.Next.Same {
		_, err = s.Edit(context.Background(), edit)
	}
	if err != nil {
		log.Fatal(err)
	}
	contents(dir, "app.go")
	// Output:
	// not-seen
	// Line 4 of app.go was never shown to you. The current text is below; if the call is still right, send it again as it is.
	// line 4: var b = 2
	// package app
	//
	// var a = 1
	// var b = 20
}

// A whole-file write owes every line of the file that is there: a part of it was read, so the rest is named.
func ExampleSession_Write() {
	dir := tree("notes.md", "# Notes\n- one\n- two\n")
	s, done := open(dir)
	defer done()

	ctx := context.Background()
	if _, err := s.Read(ctx, sightline.ReadRequest{Path: "notes.md", Lines: []sightline.Lines{{From: 0, To: 2}}}); err != nil {
		log.Fatal(err)
	}
	write := sightline.WriteRequest{Path: "notes.md", Text: "# Notes\n- one\n- two\n- three\n", Mode: sightline.Replace}
	_, err := s.Write(ctx, write)
	fmt.Println(sightline.CodeOf(err))

	if _, err := s.Write(ctx, write); err != nil { // the refusal has shown the rest
		log.Fatal(err)
	}
	if _, err := s.Write(ctx, sightline.WriteRequest{Path: "new.md", Text: "fresh\n", Mode: sightline.Create}); err != nil {
		log.Fatal(err) // a file that is not there owes nothing
	}
	contents(dir, "notes.md")
	contents(dir, "new.md")
	// Output:
	// needs-full
	// # Notes
	// - one
	// - two
	// - three
	// fresh
}

// Check puts the question of a call without making it. A no is an answer, with the refusal that the call would get.
func ExampleSession_Check() {
	dir := tree("app.go", "package app\n\nvar a = 1\n")
	s, done := open(dir)
	defer done()

	ctx := context.Background()
	question := sightline.CheckRequest{Path: "app.go", Overwrite: true}
	answer, err := s.Check(ctx, question)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Allowed, answer.Refusal.Code)

	if _, err := s.Read(ctx, sightline.ReadRequest{Path: "app.go", Intent: sightline.Full}); err != nil {
		log.Fatal(err)
	}
	if answer, err = s.Check(ctx, question); err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Allowed)
	// Output:
	// false needs-full
	// true
}

// Seen tells how each line is known: what was shown, what the session wrote itself, what somebody changed since.
func ExampleSession_Seen() {
	dir := tree("app.go", "one\ntwo\nthree\nfour\n")
	s, done := open(dir)
	defer done()

	ctx := context.Background()
	if _, err := s.Read(ctx, sightline.ReadRequest{Path: "app.go", Lines: []sightline.Lines{{From: 0, To: 3}}}); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Edit(ctx, sightline.EditRequest{Path: "app.go", Edits: []sightline.Op{sightline.ReplaceText{Old: "one", New: "ONE"}}}); err != nil {
		log.Fatal(err)
	}
	// Somebody else changes the third line.
	if err := os.WriteFile(filepath.Join(dir, "app.go"), []byte("ONE\ntwo\nTHREE\nfour\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	seen, err := s.Seen(ctx, sightline.SeenRequest{Path: "app.go"})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range seen.Rows {
		fmt.Println(row.Lines.From+1, row.State)
	}
	// Output:
	// 1 authored
	// 2 seen
	// 3 stale
	// 4 unseen
}

// A plan holds nothing while a person is asked about it. Commit looks again: what somebody else changed elsewhere in
// the meantime stays, and a plan whose own lines were changed is refused.
func ExampleSession_Plan() {
	dir := tree("app.go", "one\ntwo\nthree\n")
	s, done := open(dir)
	defer done()

	ctx := context.Background()
	if _, err := s.Read(ctx, sightline.ReadRequest{Path: "app.go"}); err != nil {
		log.Fatal(err)
	}
	plan, err := s.Plan(ctx, sightline.EditRequest{Path: "app.go", Edits: []sightline.Op{sightline.ReplaceText{Old: "three", New: "3"}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("may %q become %q?\n", plan.Before(), plan.After())

	// While the person thinks, somebody puts a line on top.
	if err := os.WriteFile(filepath.Join(dir, "app.go"), []byte("zero\none\ntwo\nthree\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Commit(ctx, plan, sightline.Meta{}); err != nil {
		log.Fatal(err)
	}
	contents(dir, "app.go")
	// Output:
	// may "one\ntwo\nthree\n" become "one\ntwo\n3\n"?
	// zero
	// one
	// two
	// 3
}

// A door says itself when an answer left: only what reached the model counts, and only for calls that come afterwards.
func ExampleDelivery() {
	dir := tree("app.go", "one\n")
	s, done := open(dir)
	defer done()

	ctx := context.Background()
	var answer sightline.Delivery
	_, err := s.Read(ctx, sightline.ReadRequest{Path: "app.go", Meta: sightline.Meta{Delivery: &answer}})
	if err != nil {
		log.Fatal(err)
	}
	question := sightline.CheckRequest{Path: "app.go", Overwrite: true}
	before, err := s.Check(ctx, question)
	if err != nil {
		log.Fatal(err)
	}
	answer.Left() // the last byte was written
	after, err := s.Check(ctx, question)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(before.Allowed, after.Allowed)
	// Output:
	// false true
}
