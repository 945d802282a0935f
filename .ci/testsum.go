// Testsum reads the output of "go test -json" and prints it as "go test" would have: one line a package, and the whole
// output of what failed. It ends with a count of tests, subtests included, and fails if any test or package did.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
)

type event struct {
	Action, Package, Test, Output, ImportPath string
}

// summary is what was seen so far.
type summary struct {
	passed, failed, skipped, packages, broken int
	output                                    map[string]map[string]*strings.Builder // package, test, output
	skips                                     []string
}

func main() {
	count := flag.String("count", "", "file to write the count to as well")
	flag.Parse()
	s := &summary{output: map[string]map[string]*strings.Builder{}}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var e event
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			fmt.Println(in.Text()) // what the go command itself has to say
			continue
		}
		s.take(e)
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(2)
	}
	for _, name := range s.skips {
		fmt.Println("skipped:", name)
	}
	line := fmt.Sprintf("%d passed, %d failed, %d skipped in %d packages", s.passed, s.failed, s.skipped, s.packages)
	if s.broken > 0 {
		line += fmt.Sprintf(", %d packages failed", s.broken)
	}
	fmt.Println(line)
	if *count != "" {
		if err := os.WriteFile(*count, []byte(line+"\n"), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "testsum:", err)
			os.Exit(2)
		}
	}
	if s.failed > 0 || s.broken > 0 || s.packages == 0 {
		os.Exit(1)
	}
}

func (s *summary) take(e event) {
	switch e.Action {
	case "build-output":
		fmt.Print(e.Output)
	case "output":
		if e.Test == "" {
			if strings.HasPrefix(e.Output, "ok ") || strings.HasPrefix(e.Output, "FAIL\t") || strings.HasPrefix(e.Output, "?") {
				fmt.Print(e.Output)
				return
			}
		}
		tests := s.output[e.Package]
		if tests == nil {
			tests = map[string]*strings.Builder{}
			s.output[e.Package] = tests
		}
		if tests[e.Test] == nil {
			tests[e.Test] = &strings.Builder{}
		}
		tests[e.Test].WriteString(e.Output)
	case "pass", "fail", "skip":
		s.end(e)
	}
}

// end counts a test or a package that ended, and prints what a failed package had to say.
func (s *summary) end(e event) {
	if e.Test == "" {
		s.packages++
		if e.Action == "fail" {
			s.broken++
			s.print(e.Package)
		}
		delete(s.output, e.Package)
		return
	}
	switch e.Action {
	case "pass":
		s.passed++
		delete(s.output[e.Package], e.Test)
	case "skip":
		s.skipped++
		s.skips = append(s.skips, e.Package+" "+e.Test)
		delete(s.output[e.Package], e.Test)
	case "fail":
		s.failed++
	}
}

func (s *summary) print(pkg string) {
	var names []string
	for name := range s.output[pkg] {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Print(s.output[pkg][name].String())
	}
}
