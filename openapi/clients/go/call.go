package muster

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// May a request be sent again also when nobody knows what became of it, when it was refused, or never?
type again int

const (
	never again = iota
	refused
	always
)

// Option is something that a call is told besides.
type Option func(*call)

// IfMatch changes nothing that somebody else has changed since: the ETag of what was read.
func IfMatch(etag string) Option { return func(c *call) { c.header.Set("If-Match", etag) } }

// IdempotencyKey says under which key the service carries the request out once; without it the client makes one.
func IdempotencyKey(key string) Option { return func(c *call) { c.header.Set("Idempotency-Key", key) } }

// AtTenant is a call at another tenant.
func AtTenant(tenant string) Option { return func(c *call) { c.tenant = tenant } }

// Answered notes the version of an answer.
func Answered(answer *Answer) Option { return func(c *call) { c.answered = answer } }

// Answer is the version of an answer.
type Answer struct {
	// ETag is the version of what was read, for IfMatch.
	ETag string
	// Replayed says whether the request was carried out before, under the same idempotency key.
	Replayed bool
}

type call struct {
	client         *Caller
	method, target string
	tenant         string
	asked          url.Values
	header         http.Header
	content        func() io.Reader
	again          again
	answered       *Answer
	err            error
}

func (c *Caller) call(method, path string, options []Option) *call {
	made := &call{client: c, method: method, target: path, tenant: c.tenant, asked: url.Values{}, header: http.Header{}}
	made.again = refused
	once := method == "POST" && strings.Contains(path, "{tenantId}") && !strings.HasSuffix(path, "/bulk")
	if once {
		var key [16]byte
		_, made.err = rand.Read(key[:])
		made.header.Set("Idempotency-Key", fmt.Sprintf("%x", key))
	}
	if once || method == "GET" {
		made.again = always
	}
	for _, option := range options {
		option(made)
	}
	made.path("tenantId", made.tenant)
	return made
}

func (c *call) path(name string, value any) {
	text := fmt.Sprint(value)
	place := "{" + name + "}"
	if text == "" && strings.Contains(c.target, place) {
		c.err = fmt.Errorf("%s %s needs %s", c.method, c.target, name)
	}
	c.target = strings.ReplaceAll(c.target, place, url.PathEscape(text))
}

func (c *call) query(name string, value any) {
	if text := fmt.Sprint(value); text != "" && text != "0" && text != "false" {
		c.asked.Set(name, text)
	}
}

func (c *call) body(media string, value any) {
	text, whole := value.(string)
	content := []byte(text)
	if !whole {
		var err error
		if content, err = json.Marshal(value); err != nil {
			c.err = err
		}
	}
	if string(content) == "null" {
		return
	}
	c.header.Set("Content-Type", media)
	c.content = func() io.Reader { return bytes.NewReader(content) }
}

func (c *call) request(ctx context.Context, token string) (*http.Request, error) {
	target := c.client.url + c.target
	if len(c.asked) > 0 {
		target += "?" + c.asked.Encode()
	}
	var content io.Reader
	if c.content != nil {
		content = c.content()
	}
	request, err := http.NewRequestWithContext(ctx, c.method, target, content)
	if err != nil {
		return nil, err
	}
	request.Header = c.header.Clone()
	request.Header.Set("Authorization", "Bearer "+token)
	return request, nil
}

// Sends it, and gives an answer that is not a refusal.
func (c *call) open(ctx context.Context) (*http.Response, error) {
	if c.err != nil {
		return nil, c.err
	}
	for renewed := false; ; renewed = true {
		token, err := c.client.bearer(ctx)
		if err != nil {
			return nil, err
		}
		response, err := c.client.patiently(ctx, c.again, func() (*http.Request, error) { return c.request(ctx, token) })
		if err != nil {
			return nil, err
		}
		if response.StatusCode/100 == 2 {
			return response, nil
		}
		// A token may be revoked before it ends.
		if response.StatusCode != http.StatusUnauthorized || renewed || c.again == never {
			return nil, refusal(response)
		}
		response.Body.Close()
		c.client.forget(token)
	}
}

func (c *call) send(ctx context.Context, answer any) error {
	response, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if c.answered != nil {
		c.answered.ETag = response.Header.Get("ETag")
		c.answered.Replayed = response.Header.Get("Idempotency-Replayed") == "true"
	}
	content, err := io.ReadAll(response.Body)
	if err != nil || answer == nil || len(content) == 0 {
		return err
	}
	if text, plain := answer.(*string); plain && !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		*text = string(content)
		return nil
	}
	return json.Unmarshal(content, answer)
}

const layout = "2006-01-02T15:04:05-0700"

// ParseTime gives the instant that a time of the service stands for: 2026-11-20T20:37:00+0000.
func ParseTime(text string) (time.Time, error) { return time.Parse(layout, text) }

// FormatTime gives an instant as the service writes it.
func FormatTime(instant time.Time) string { return instant.UTC().Format(layout) }
