// Package muster is a client of Muster: a method for each operation of its OpenAPI document, pages, streams, typed problems.
package muster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A token is renewed this long before it ends.
const ahead = time.Minute

// Caller is a caller of the service, with key and secret of an API key. It may be used by many at once.
type Caller struct {
	// Patience is how long a request is tried again while the service asks for it or is away; 0 for never.
	Patience time.Duration
	// HTTP sends the requests.
	HTTP *http.Client

	url, key, secret, tenant string

	renewing sync.Mutex
	token    string
	until    time.Time
}

// New gives a caller at a tenant, such as client_1, who tries again for a minute.
func New(url, key, secret, tenant string) *Caller {
	return &Caller{
		Patience: time.Minute, HTTP: &http.Client{Timeout: 2 * time.Minute},
		url: strings.TrimRight(url, "/"), key: key, secret: secret, tenant: tenant,
	}
}

// To gives a pointer to a value, for fields that may be left out.
func To[T any](value T) *T { return &value }

// List gives a pointer to a list, for fields that may be left out: an empty list is another thing than none.
func List[T any](values ...T) *[]T {
	if values == nil {
		values = []T{}
	}
	return &values
}

// Error is a request that the service refused.
type Error struct {
	// Status is the HTTP status.
	Status int
	// Problem is what the service says about it; empty when it says nothing.
	Problem Problem
	// RetryAfter says after which time to try again; 0 when the service does not.
	RetryAfter time.Duration

	place, text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %d %s", e.place, e.Status, e.text) }

// Code is a stable code, such as 0003 of what is not found.
func (e *Error) Code() string { return e.Problem.Code }

// Fields says what is wrong with each field of the request.
func (e *Error) Fields() map[string]string {
	fields := map[string]string{}
	for _, field := range e.Problem.Errors {
		fields[field.FieldName] = field.Message
	}
	return fields
}

// PageOf is a page of a list.
type PageOf[T any] struct {
	Results         []T    `json:"results"`
	TotalResults    int64  `json:"totalResults"`
	PageNo          int64  `json:"pageNo"`
	PageSize        int64  `json:"pageSize"`
	TotalPages      int64  `json:"totalPages"`
	NextPage        bool   `json:"nextPage"`
	PreviousPageNo  int64  `json:"previousPageNo"`
	OrderBy         string `json:"orderBy"`
	DescendingOrder bool   `json:"descendingOrder"`
	// NextCursor says where the next page starts; empty on the last one.
	NextCursor string `json:"nextCursor"`
}

// Items goes through all that a list has.
type Items[T any] struct {
	next func(cursor string) (PageOf[T], error)
	page PageOf[T]
	at   int
	last bool
	err  error
}

// Each goes through all that a list has, page by page:
//
//	sites := muster.Each(ctx, client.SearchSites, muster.SearchSitesQuery{})
//	for sites.Next() { use(sites.Item()) }
//	return sites.Err()
func Each[T any, Q interface{ from(cursor string) Q }](
	ctx context.Context, list func(context.Context, Q, ...Option) (PageOf[T], error), query Q,
) *Items[T] {
	return &Items[T]{next: func(cursor string) (PageOf[T], error) {
		if cursor != "" {
			query = query.from(cursor)
		}
		return list(ctx, query)
	}}
}

// Next goes on to the next item, and says whether there is one.
func (i *Items[T]) Next() bool {
	for i.at++; i.err == nil && i.at > len(i.page.Results); i.at = 1 {
		if i.last {
			return false
		}
		i.page, i.err = i.next(i.page.NextCursor)
		i.last = i.page.NextCursor == ""
		if len(i.page.Results) == 0 && !i.last {
			i.at = 2
		}
	}
	return i.err == nil
}

// Item is the one that Next went to.
func (i *Items[T]) Item() T { return i.page.Results[i.at-1] }

// Err is what ended it before the end.
func (i *Items[T]) Err() error { return i.err }

// Lines are the values on the lines of an answer, as they arrive.
type Lines[T any] struct {
	body    io.ReadCloser
	decoder *json.Decoder
	item    T
	err     error
}

// Next reads the next line, and says whether there is one.
func (l *Lines[T]) Next() bool {
	var item T
	l.err = l.decoder.Decode(&item)
	l.item = item
	return l.err == nil
}

// Item is the one that Next read.
func (l *Lines[T]) Item() T { return l.item }

// Err is what ended it before the end.
func (l *Lines[T]) Err() error {
	if errors.Is(l.err, io.EOF) {
		return nil
	}
	return l.err
}

// Close ends it.
func (l *Lines[T]) Close() error { return l.body.Close() }

// Bulk creates and updates resources, and says what became of each as it is done; the last line is the summary.
func (c *Caller) Bulk(ctx context.Context, resources []ResourceInput, options ...Option) (*Lines[BulkLine], error) {
	at := 0
	return c.bulk(ctx, func() (ResourceInput, bool) {
		if at == len(resources) {
			return ResourceInput{}, false
		}
		at++
		return resources[at-1], true
	}, func() { at = 0 }, options)
}

// BulkStream does the same with what next gives, until that says false. It is sent once, and not tried again.
func (c *Caller) BulkStream(
	ctx context.Context, next func() (ResourceInput, bool), options ...Option,
) (*Lines[BulkLine], error) {
	return c.bulk(ctx, next, nil, options)
}

func (c *Caller) bulk(
	ctx context.Context, next func() (ResourceInput, bool), anew func(), options []Option,
) (*Lines[BulkLine], error) {
	call := c.call("POST", "/api/v2/tenants/{tenantId}/resources/bulk", options)
	call.again = always
	if anew == nil {
		call.again = never
	}
	call.header.Set("Content-Type", "application/x-ndjson")
	call.content = func() io.Reader {
		if anew != nil {
			anew()
		}
		return &rows{next: next}
	}
	return open[BulkLine](ctx, call)
}

// Export gives all resources that a filter finds, as they can be imported again; an empty filter finds all.
func (c *Caller) Export(ctx context.Context, queryString string, options ...Option) (*Lines[ResourceInput], error) {
	call := c.call("GET", "/api/v2/tenants/{tenantId}/resources/export", options)
	call.query("queryString", queryString)
	return open[ResourceInput](ctx, call)
}

func open[T any](ctx context.Context, call *call) (*Lines[T], error) {
	response, err := call.open(ctx)
	if err != nil {
		return nil, err
	}
	return &Lines[T]{body: response.Body, decoder: json.NewDecoder(response.Body)}, nil
}

// A line for each row, made as it is read.
type rows struct {
	next func() (ResourceInput, bool)
	line []byte
}

func (r *rows) Read(buffer []byte) (int, error) {
	if len(r.line) == 0 {
		row, more := r.next()
		if !more {
			return 0, io.EOF
		}
		line, err := json.Marshal(row)
		if err != nil {
			return 0, err
		}
		r.line = append(line, '\n')
	}
	count := copy(buffer, r.line)
	r.line = r.line[count:]
	return count, nil
}

func (c *Caller) bearer(ctx context.Context) (string, error) {
	c.renewing.Lock()
	defer c.renewing.Unlock()
	if time.Now().Before(c.until) {
		return c.token, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {c.key}, "client_secret": {c.secret}}.Encode()
	asked := time.Now()
	response, err := c.patiently(ctx, always, func() (*http.Request, error) {
		request, err := http.NewRequestWithContext(ctx, "POST", c.url+"/auth/oauth/token", strings.NewReader(form))
		if err == nil {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		return request, err
	})
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", refusal(response)
	}
	defer response.Body.Close()
	var token Token
	if err := json.NewDecoder(response.Body).Decode(&token); err != nil {
		return "", err
	}
	c.token, c.until = token.AccessToken, asked.Add(time.Duration(token.ExpiresIn)*time.Second-ahead)
	return c.token, nil
}

func (c *Caller) forget(token string) {
	c.renewing.Lock()
	defer c.renewing.Unlock()
	if c.token == token {
		c.until = time.Time{}
	}
}

// Again after 429 and 503, as Retry-After says, and after a failure of the network where that does no harm.
func (c *Caller) patiently(
	ctx context.Context, again again, make func() (*http.Request, error),
) (*http.Response, error) {
	end := time.Now().Add(c.Patience)
	for pause := 200 * time.Millisecond; ; pause = shorter(2*pause, 5*time.Second) {
		request, err := make()
		if err != nil {
			return nil, err
		}
		wait := pause
		response, err := c.HTTP.Do(request)
		if err != nil {
			if again != always || ctx.Err() != nil || time.Now().Add(wait).After(end) {
				return nil, err
			}
		} else {
			busy := response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable
			if after := retryAfter(response); after > wait {
				wait = after
			}
			if !busy || again == never || time.Now().Add(wait).After(end) {
				return response, nil
			}
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func shorter(a, b time.Duration) time.Duration {
	if a < b {
		return a
	}
	return b
}

func retryAfter(response *http.Response) time.Duration {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func refusal(response *http.Response) error {
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	found := &Error{Status: response.StatusCode, RetryAfter: retryAfter(response), text: string(text)}
	found.place = response.Request.Method + " " + response.Request.URL.Path
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/problem+json") {
		if json.Unmarshal(text, &found.Problem) == nil {
			found.text = found.Problem.Detail
		}
	}
	return found
}
