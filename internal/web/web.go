// Package web is the page of a daemon for people: what is served, who is here, and what was decided lately.
//
// It asks the daemon as any other client does and shows what it is told; it changes nothing. It answers requests that
// name its own address alone, so that no other site can reach it through a name that leads here.
package web

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/sightline-io/sightline/client"
	"github.com/sightline-io/sightline/internal/rpc"
)

//go:embed page.html
var pageText string

// lately is how many receipts the page shows.
const lately = 50

// within bounds what one page may take.
const within = 10 * time.Second

// Handler answers the page at / for requests to host, the address that is listened at. root is what is served; dial
// connects to its daemon, once a page.
func Handler(host, root string, dial func(context.Context) (*client.Client, error)) http.Handler {
	page := template.Must(template.New("page").Funcs(template.FuncMap{
		"when": func(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04:05") },
	}).Parse(pageText))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		ctx, stop := context.WithTimeout(r.Context(), within)
		defer stop()
		f := &facts{Root: root}
		if err := f.ask(ctx, dial); err != nil {
			f.Fault = err.Error()
		}
		var b bytes.Buffer
		if err := page.Execute(&b, f); err != nil {
			http.Error(w, "The page cannot be made.", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(b.Bytes()) // a browser that has gone wants no answer
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if r.Host != host {
			http.Error(w, "This page answers at http://"+host+"/ alone.", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// facts are what the page shows.
type facts struct {
	Root   string
	Fault  string // why the rest is not known
	Status struct {
		Root, Socket, Version, Profile, Durability string
		PID, Connections, Live, Sessions           int
		Started                                    int64
	}
	Stats    struct{ Admitted, Refused, Cured, Repeated, Reads, Failed int }
	Sessions struct {
		Sessions []struct {
			Session     string
			Connections int
		}
	}
	Receipts []receipt // newest first
}

type receipt struct {
	At, Last                      int64
	Session, Verb, Path, To, Code string
	Count                         int
}

func (f *facts) ask(ctx context.Context, dial func(context.Context) (*client.Client, error)) error {
	c, err := dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, q := range []struct {
		method string
		out    any
	}{{rpc.Status, &f.Status}, {rpc.Stats, &f.Stats}, {rpc.Sessions, &f.Sessions}} {
		if err := c.Do(ctx, q.method, nil, q.out); err != nil {
			return err
		}
	}
	for since := uint64(0); ; {
		var page struct {
			Receipts []json.RawMessage
			Next     uint64
			Complete bool
		}
		if err := c.Do(ctx, rpc.Log, map[string]any{"since": since, "limit": 1000}, &page); err != nil {
			return err
		}
		for _, raw := range page.Receipts[max(0, len(page.Receipts)-lately):] {
			var r receipt
			if err := json.Unmarshal(raw, &r); err != nil {
				return err
			}
			f.Receipts = append(f.Receipts, r)
		}
		f.Receipts = f.Receipts[max(0, len(f.Receipts)-lately):]
		if page.Complete || page.Next <= since {
			slices.Reverse(f.Receipts)
			return nil
		}
		since = page.Next
	}
}
