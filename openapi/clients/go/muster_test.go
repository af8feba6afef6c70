package muster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

const problem = `{"type": "about:blank", "title": "Invalid", "status": 400, "detail": "name: is missing", "code": "0002",
	"message": "name: is missing", "requestId": "r",
	"errors": [{"code": "0002", "fieldName": "name", "message": "is missing"}]}`

type answer struct {
	status int
	body   string
}

type seen struct{ method, target, key, body string }

// A caller of a server that gives these answers; a status of 0 is a connection that ends without one.
func caller(t *testing.T, answers ...answer) (*Caller, *[]seen) {
	var requests []seen
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests = append(requests, seen{r.Method, r.URL.String(), r.Header.Get("Idempotency-Key"), string(body)})
		if r.URL.Path == "/auth/oauth/token" {
			fmt.Fprint(w, `{"access_token": "t", "expires_in": 7199}`)
			return
		}
		answer := answers[0]
		answers = answers[1:]
		if answer.status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		if answer.status >= 400 {
			w.Header().Set("Content-Type", "application/problem+json")
		}
		w.WriteHeader(answer.status)
		fmt.Fprint(w, answer.body)
	}))
	t.Cleanup(server.Close)
	made := New(server.URL, "k", "s", "client_1")
	made.Patience = 5 * time.Second
	return made, &requests
}

func TestAPostIsSentAgainUnderItsKey(t *testing.T) {
	caller, requests := caller(t, answer{}, answer{503, problem}, answer{200, `{"resourceUUID": "u"}`})
	made, err := caller.CreateResource(context.Background(), ResourceInput{HostName: To("a")})
	if err != nil || made.ResourceUUID != "u" || len(*requests) != 4 {
		t.Fatal(made, err, *requests)
	}
	for _, request := range (*requests)[1:] {
		if request.key == "" || request.key != (*requests)[1].key {
			t.Fatal(*requests)
		}
	}
}

func TestADeleteWhoseAnswerIsLostIsNotSentAgain(t *testing.T) {
	caller, requests := caller(t, answer{})
	if err := caller.DeleteSite(context.Background(), 7); err == nil || len(*requests) != 2 {
		t.Fatal(err, *requests)
	}
}

func TestARevokedTokenIsReplacedOnce(t *testing.T) {
	caller, requests := caller(t, answer{401, problem}, answer{401, problem})
	_, err := caller.GetSite(context.Background(), 7)
	var refused *Error
	if !errors.As(err, &refused) || refused.Status != 401 || len(*requests) != 4 {
		t.Fatal(err, *requests)
	}
}

func TestPagesFollowTheCursor(t *testing.T) {
	caller, requests := caller(t,
		answer{200, `{"results": [{"name": "a"}], "nextCursor": "c"}`},
		answer{200, `{"results": [], "nextCursor": "d"}`},
		answer{200, `{"results": [{"name": "b"}]}`})
	items := Each(context.Background(), caller.SearchResources, SearchResourcesQuery{PageNo: 1, PageSize: 1})
	names := ""
	for items.Next() {
		names += items.Item().Name
	}
	if items.Err() != nil || names != "ab" {
		t.Fatal(items.Err(), names)
	}
	if target := (*requests)[2].target; target != "/api/v2/tenants/client_1/resources/search?cursor=c&pageSize=1" {
		t.Fatal(target)
	}
}

func TestBulkSendsAndReadsLines(t *testing.T) {
	caller, requests := caller(t, answer{200, `{"line": 1, "result": "created"}
{"result": "summary", "rows": 1, "created": 1}`})
	lines, err := caller.Bulk(context.Background(), []ResourceInput{{HostName: To("a")}})
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	if !lines.Next() || lines.Item().BulkResult == nil || !lines.Next() || lines.Item().BulkSummary.Created != 1 || lines.Next() {
		t.Fatal(lines.Item(), lines.Err())
	}
	if sent := (*requests)[1]; sent.body != "{\"hostName\":\"a\"}\n" || sent.key != "" || lines.Err() != nil {
		t.Fatal(sent, lines.Err())
	}
}

func TestAProblemNamesTheFields(t *testing.T) {
	caller, _ := caller(t, answer{400, problem})
	_, err := caller.CreateSite(context.Background(), SiteInput{})
	var refused *Error
	if !errors.As(err, &refused) || refused.Code() != "0002" || refused.Fields()["name"] != "is missing" {
		t.Fatal(err)
	}
}

func TestTimes(t *testing.T) {
	instant := time.Date(2026, 11, 20, 20, 37, 0, 0, time.UTC)
	read, err := ParseTime("2026-11-20T20:37:00+0000")
	if err != nil || !read.Equal(instant) || FormatTime(instant) != "2026-11-20T20:37:00+0000" {
		t.Fatal(read, err)
	}
}
