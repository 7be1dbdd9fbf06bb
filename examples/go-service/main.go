// A service as it runs anywhere: it knows nothing of agents. PORT says where it listens.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
)

type order struct {
	ID       string `json:"id"`
	Amount   int    `json:"amount"`
	Refunded bool   `json:"refunded"`
}

type problem struct {
	Message string `json:"message"`
}

var (
	lock   sync.Mutex
	orders = map[string]*order{"7": {ID: "7", Amount: 120}}
)

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func serve(w http.ResponseWriter, r *http.Request) {
	lock.Lock()
	defer lock.Unlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts[0] != "orders" || len(parts) < 2 {
		answer(w, http.StatusNotFound, problem{"there is nothing here"})
		return
	}
	found := orders[parts[1]]
	if found == nil {
		answer(w, http.StatusNotFound, problem{"there is no order " + parts[1]})
		return
	}
	switch {
	case len(parts) == 2 && r.Method == http.MethodGet:
		answer(w, http.StatusOK, found)
	case len(parts) == 2 && r.Method == http.MethodDelete:
		delete(orders, found.ID)
		w.WriteHeader(http.StatusNoContent)
	case len(parts) == 3 && parts[2] == "refunds" && r.Method == http.MethodPost:
		var asked struct {
			Amount int `json:"amount"`
		}
		if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Amount > found.Amount {
			answer(w, http.StatusConflict, problem{"an order is refunded at most its amount"})
			return
		}
		found.Refunded = true
		answer(w, http.StatusCreated, found)
	default:
		answer(w, http.StatusMethodNotAllowed, problem{"not this way"})
	}
}

func main() {
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	http.HandleFunc("/", serve)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
