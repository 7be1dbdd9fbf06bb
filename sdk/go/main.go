// An agent of two skills: `sum` adds, `sum_form` asks a person for the numbers first. The worker protocol of the platform's runtime, only
// with the standard library.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
)

const (
	protocol       = "svc-worker/1"
	maxFrameLength = 64 * 1024 * 1024
)

// frame is any message; members that a kind does not have are left out.
type frame struct {
	T        string          `json:"t"`
	ID       int64           `json:"id,omitempty"`
	Skill    string          `json:"skill,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`
	Value    any             `json:"value,omitempty"`
	Call     int64           `json:"call,omitempty"`
	Method   string          `json:"method,omitempty"`
	Params   any             `json:"params,omitempty"`
	Error    *workerError    `json:"error,omitempty"`
	Protocol string          `json:"protocol,omitempty"`
	Language string          `json:"language,omitempty"`
	SDK      string          `json:"sdk,omitempty"`
	Skills   []string        `json:"skills,omitempty"`
	OK       *bool           `json:"ok,omitempty"`
}

type workerError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status,omitempty"`
}

// sum is the skill. Whole numbers that JSON's doubles carry exactly stay exact.
func sum(args json.RawMessage) (any, *workerError) {
	var input struct {
		A *float64 `json:"a"`
		B *float64 `json:"b"`
	}
	if err := json.Unmarshal(args, &input); err != nil || input.A == nil || input.B == nil {
		return nil, &workerError{Code: "skill_input_error", Message: "sum takes two numbers, a and b", Status: 400}
	}
	return *input.A + *input.B, nil
}

// numbers is the form of sum_form: JSON Schema of what a person fills in.
var numbers = json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`)

// session is one connection of a runtime.
type session struct {
	writes    sync.Mutex
	writer    *bufio.Writer
	mu        sync.Mutex
	cancelled map[int64]bool
	// What runs wait for, by the run's id: one call into the run context at a time.
	waiting map[int64]chan frame
	running sync.WaitGroup
}

// call asks something of the run context, and waits until it is answered or the run is over.
func (s *session) call(run int64, method string, params any) (any, *workerError) {
	answered := make(chan frame, 1)
	s.mu.Lock()
	s.waiting[run] = answered
	s.mu.Unlock()
	s.send(frame{T: "call", ID: run, Call: 1, Method: method, Params: params})
	answer := <-answered
	return answer.Value, answer.Error
}

// answer resumes the run that waits; the first answer counts.
func (s *session) answer(run int64, answer frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answered, ok := s.waiting[run]; ok {
		delete(s.waiting, run)
		answered <- answer
	}
}

// end ends every run that waits: no answer will come.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for run, answered := range s.waiting {
		delete(s.waiting, run)
		answered <- frame{Error: cancelled}
	}
}

var cancelled = &workerError{Code: "cancelled_by_caller", Message: "cancelled by the caller", Status: 499}

// sumForm asks the person the run works for: the answer to a form is its JSON text.
func (s *session) sumForm(run int64) (any, *workerError) {
	value, refused := s.call(run, "ask", map[string]any{"prompt": "Which numbers?", "schema": numbers})
	if refused != nil {
		return nil, refused
	}
	text, _ := value.(string)
	return sum(json.RawMessage(text))
}

func (s *session) run(f frame) (any, *workerError) {
	switch f.Skill {
	case "sum":
		return sum(f.Args)
	case "sum_form":
		return s.sumForm(f.ID)
	default:
		return nil, &workerError{Code: "skill_not_found", Message: "this worker has: sum, sum_form", Status: 404}
	}
}

func (s *session) send(f frame) {
	s.writes.Lock()
	defer s.writes.Unlock()
	line, err := json.Marshal(f)
	if err != nil {
		return
	}
	s.writer.Write(append(line, '\n'))
	s.writer.Flush()
}

func (s *session) invoke(f frame) {
	defer s.running.Done()
	answer := frame{T: "error", ID: f.ID}
	switch value, refused := s.run(f); {
	case s.takeCancelled(f.ID):
		answer.Error = cancelled
	case refused != nil:
		answer.Error = refused
	default:
		answer = frame{T: "result", ID: f.ID, Value: value}
	}
	s.send(answer)
}

func (s *session) takeCancelled(id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.cancelled[id]
	delete(s.cancelled, id)
	return was
}

// serve takes frames until the connection ends; true when the runtime asked for the end of the process.
func (s *session) serve(lines *bufio.Scanner) bool {
	defer s.end()
	s.send(frame{T: "hello", Protocol: protocol, Language: "go", SDK: "demo", Skills: []string{"sum", "sum_form"}})
	for lines.Scan() {
		var f frame
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return false
		}
		switch f.T {
		case "start":
			s.send(frame{T: "started"})
		case "invoke":
			s.running.Add(1)
			go s.invoke(f)
		case "cancel":
			s.mu.Lock()
			s.cancelled[f.ID] = true
			s.mu.Unlock()
			s.answer(f.ID, frame{Error: cancelled})
		case "reply", "reply_error":
			s.answer(f.ID, f)
		case "health":
			well := true
			s.send(frame{T: "healthy", ID: f.ID, OK: &well})
		case "resolve_auth":
			s.send(frame{T: "error", ID: f.ID, Error: &workerError{Code: "auth_error", Message: "this worker has no resolver", Status: 401}})
		case "shutdown":
			s.end()
			s.running.Wait()
			s.send(frame{T: "stopped"})
			return true
		case "ack", "renew":
			// This worker sends no events and keeps no secrets.
		default:
			return false
		}
	}
	return false
}

func upgrade(w http.ResponseWriter, r *http.Request, end chan<- os.Signal) {
	if r.Header.Get("Upgrade") != protocol {
		w.Header().Set("Upgrade", protocol)
		http.Error(w, "this is a worker: upgrade to "+protocol, http.StatusUpgradeRequired)
		return
	}
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	connection, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer connection.Close()
	fmt.Fprintf(buffered, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", protocol)
	if buffered.Flush() != nil {
		return
	}
	lines := bufio.NewScanner(buffered.Reader)
	lines.Buffer(make([]byte, 0, 64*1024), maxFrameLength)
	s := &session{writer: buffered.Writer, cancelled: map[int64]bool{}, waiting: map[int64]chan frame{}}
	if s.serve(lines) {
		end <- syscall.SIGTERM
	}
}

// listen takes SVC_WORKER_LISTEN: unix:/path or tcp:host:port.
func listen(where string) (net.Listener, error) {
	kind, address, _ := strings.Cut(where, ":")
	switch kind {
	case "unix":
		if err := os.Remove(address); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		return net.Listen("unix", address)
	case "tcp":
		return net.Listen("tcp", address)
	default:
		return nil, fmt.Errorf("SVC_WORKER_LISTEN is unix:/path or tcp:host:port, not %q", where)
	}
}

func main() {
	listener, err := listen(os.Getenv("SVC_WORKER_LISTEN"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/worker", func(w http.ResponseWriter, r *http.Request) { upgrade(w, r, end) })
	server := &http.Server{Handler: mux}
	go func() {
		<-end
		server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
