package script

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Load parses every *.txtar file of the folder, in order of name. Errors name file and line.
func Load(dir string) ([]*Script, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no scripts", dir)
	}
	sort.Strings(files)
	var all []*Script
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		s, err := Parse(filepath.Base(f), string(data))
		if err != nil {
			return nil, err
		}
		all = append(all, s...)
	}
	return all, nil
}

// Parse reads one corpus file: a header that says what the file is about, then scripts, each behind a "-- name --"
// line. Errors name file and line.
func Parse(file, data string) ([]*Script, error) {
	var all []*Script
	names := map[string]bool{}
	header := false
	var step string // the step being gathered, with its continuation lines
	at := 0
	flush := func() error {
		if step == "" {
			return nil
		}
		text, line := step, at
		step = ""
		if err := all[len(all)-1].add(line, text); err != nil {
			return fmt.Errorf("%s:%d: %w", file, line, err)
		}
		return nil
	}
	for i, line := range strings.Split(data, "\n") {
		n := i + 1
		name, marker := sectionName(line)
		switch {
		case marker:
			if err := flush(); err != nil {
				return nil, err
			}
			if err := open(all); err != nil {
				return nil, err
			}
			if names[name] {
				return nil, fmt.Errorf("%s:%d: a second script %q", file, n, name)
			}
			names[name] = true
			all = append(all, &Script{File: file, Name: name, Line: n, Repeat: 1})
		case len(all) == 0:
			header = header || strings.TrimSpace(line) != ""
		case strings.TrimSpace(line) == "":
			if err := flush(); err != nil {
				return nil, err
			}
		case strings.HasPrefix(strings.TrimSpace(line), "#"):
			all[len(all)-1].comment(line, step)
		case line[0] == ' ' || line[0] == '\t':
			if step == "" {
				return nil, fmt.Errorf("%s:%d: a continuation without a step above it", file, n)
			}
			cut, err := withoutComment(step)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, at, err)
			}
			step = cut + " " + strings.TrimSpace(line)
		default:
			if err := flush(); err != nil {
				return nil, err
			}
			step, at = line, n
		}
	}
	if !header {
		return nil, fmt.Errorf("%s:1: the file has no header that says what it is about", file)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s:1: the file holds no script", file)
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return all, open(all)
}

// open reports what the last script lacks or left unfinished.
func open(all []*Script) error {
	if len(all) == 0 {
		return nil
	}
	s := all[len(all)-1]
	if s.Doc == "" {
		return fmt.Errorf("%s:%d: script %q has no comment that names its case", s.File, s.Line, s.Name)
	}
	if len(s.Steps) == 0 {
		return fmt.Errorf("%s:%d: script %q has no steps", s.File, s.Line, s.Name)
	}
	if last := s.Steps[len(s.Steps)-1]; isOpen(last) {
		return fmt.Errorf("%s:%d: together without end", s.File, last.Line)
	}
	return nil
}

func isOpen(s Step) bool {
	_, ok := s.Act.(*openTogether)
	return ok
}

// openTogether is a together block whose end has not been read.
type openTogether struct{ Together }

func sectionName(line string) (string, bool) {
	line = strings.TrimRight(line, "\r ")
	if !strings.HasPrefix(line, "-- ") || !strings.HasSuffix(line, " --") || len(line) < 7 {
		return "", false
	}
	return strings.TrimSpace(line[3 : len(line)-3]), true
}

func (s *Script) comment(line, step string) {
	if len(s.Steps) > 0 || step != "" {
		return
	}
	s.Doc = strings.TrimSpace(s.Doc + " " + strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#")))
}

// withoutComment drops the comment at the end of a line to which another is joined.
func withoutComment(line string) (string, error) {
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '"':
			_, n, err := unquote(line[i:])
			if err != nil {
				return "", err
			}
			i += n - 1
		case line[i] == '#' && (i == 0 || line[i-1] == ' '):
			return strings.TrimRight(line[:i], " "), nil
		}
	}
	return line, nil
}

// add parses one step.
func (s *Script) add(line int, text string) error {
	toks, err := lex(text)
	if err != nil {
		return err
	}
	w := &words{toks: toks}
	if w.done() {
		return nil
	}
	if done, err := s.setting(w); done || err != nil {
		return err
	}
	var block *openTogether
	if n := len(s.Steps); n > 0 {
		block, _ = s.Steps[n-1].Act.(*openTogether)
	}
	if block != nil && w.take("end") {
		s.Steps[len(s.Steps)-1].Act = &block.Together
		return nil
	}
	act, err := parseAct(w, text)
	if err != nil {
		return err
	}
	if !w.done() {
		return fmt.Errorf("left over: %v", w.toks[w.pos])
	}
	step := Step{Line: line, Text: strings.TrimSpace(text), Act: act}
	if block == nil {
		s.Steps = append(s.Steps, step)
		return nil
	}
	if _, ok := act.(*Call); !ok {
		return fmt.Errorf("a together block holds calls only")
	}
	block.Calls = append(block.Calls, step)
	return nil
}

// setting reads what stands before the first call and holds for the whole script.
func (s *Script) setting(w *words) (bool, error) {
	var err error
	switch {
	case w.take("profile"):
		s.Profile, err = w.name("the profile")
		if s.Profile != "strict" && s.Profile != "balanced" {
			err = fmt.Errorf("the profile is balanced or strict, not %q", s.Profile)
		}
	case w.take("root"):
		s.RootPath, err = w.name("the root")
	case w.take("page"):
		s.PageBytes, err = w.number("the page's bytes")
	case w.take("repeat"):
		s.Repeat, err = w.number("the number of runs")
	case w.take("norestart"):
		s.NoRestart = "the script says so"
	case w.take("pending"):
		s.Pending, err = w.textExpr("what is pending")
	case w.take("nocure"):
		s.NoCure = true
	default:
		return false, nil
	}
	if err == nil && len(s.Steps) > 0 {
		err = fmt.Errorf("%v must stand before the first step", w.toks[0])
	}
	if err == nil && !w.done() {
		err = fmt.Errorf("left over: %v", w.toks[w.pos])
	}
	return true, err
}
