package net.muster;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.muster.model.BulkLine;
import net.muster.model.Problem;
import net.muster.model.ResourceInput;

/** A caller of the service, with key and secret of an API key: `new Resources(muster)` has the operations on resources. */
public final class Muster {
    static final Duration TIMEOUT = Duration.ofSeconds(60);
    static final ObjectMapper JSON = JsonMapper.builder()
        .serializationInclusion(JsonInclude.Include.NON_NULL)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .build();
    /** A token is renewed this long before it ends. */
    private static final Duration AHEAD = Duration.ofSeconds(60);

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    private final ThreadLocal<HttpResponse<InputStream>> last = new ThreadLocal<>();
    private final String url;
    private final String form;
    private final String tenant;
    private final Duration patience;
    private String token;
    private Instant until = Instant.MIN;

    /** A caller at a tenant, such as `client_1`, who tries again for a minute. */
    public Muster(String url, String key, String secret, String tenant) {
        this(url, key, secret, tenant, Duration.ofMinutes(1));
    }

    /** The same with another patience: how long a request is tried again while the service asks for it or is away. */
    public Muster(String url, String key, String secret, String tenant, Duration patience) {
        this.url = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        this.form = "grant_type=client_credentials&client_id=" + Call.encode(key) + "&client_secret=" + Call.encode(secret);
        this.tenant = tenant;
        this.patience = patience;
    }

    /** Calls an operation for an answer with its version: `muster.answer(() -> sites.getSite(7L)).etag()`. */
    public <T> Answer<T> answer(Supplier<T> call) {
        T data = call.get();
        return answered(data, last.get());
    }

    /** All that a list has, page by page: `muster.each(sites::searchSites, new Sites.SearchSites())`. */
    public <T, Q extends FromCursor> Iterable<T> each(Function<Q, ? extends PageOf<T>> list, Q asked) {
        return () -> new Iterator<T>() {
            private PageOf<T> page = list.apply(asked);
            private Iterator<T> results = page.getResults().iterator();

            @Override
            public boolean hasNext() {
                while (!results.hasNext() && page.getNextCursor() != null) {
                    asked.goOn(page.getNextCursor());
                    page = list.apply(asked);
                    results = page.getResults().iterator();
                }
                return results.hasNext();
            }

            @Override
            public T next() {
                if (!hasNext()) throw new NoSuchElementException();
                return results.next();
            }
        };
    }

    /** Creates and updates resources, and says what became of each as it is done; the last line is the summary. To be closed. */
    public Stream<BulkLine> bulk(Iterable<ResourceInput> resources) {
        Call call = call("POST", "/api/v2/tenants/{tenantId}/resources/bulk");
        call.body("application/x-ndjson", () -> BodyPublishers.ofInputStream(() -> new Lines(resources.iterator())));
        // What a collection has can be sent again; what another iterable gave is gone.
        call.again = resources instanceof Collection ? Call.Again.ALWAYS : Call.Again.NEVER;
        return lines(call, BulkLine.class);
    }

    /** All resources that a filter finds, as they can be imported again; an empty filter finds all. To be closed. */
    public Stream<ResourceInput> export(String queryString) {
        Call call = call("GET", "/api/v2/tenants/{tenantId}/resources/export");
        call.query("queryString", queryString.isEmpty() ? null : queryString);
        return lines(call, ResourceInput.class);
    }

    /** For the generated code. */
    public Call call(String method, String path) {
        return new Call(this, method, path);
    }

    String url() {
        return url;
    }

    String tenant() {
        return tenant;
    }

    <T> Answer<T> send(Call call, TypeReference<T> type) {
        HttpResponse<InputStream> response = open(call);
        String text = text(response);
        last.set(response);
        try {
            return answered(type == null || text.isEmpty() ? null : JSON.readValue(text, type), response);
        } catch (JsonProcessingException error) {
            throw new MusterException(response.statusCode(), null, null, "an answer that cannot be read", error);
        }
    }

    /** Sends a request of the interface, and gives an answer that is not a refusal. */
    HttpResponse<InputStream> open(Call call) {
        for (boolean renewed = false; ; renewed = true) {
            String bearer = bearer();
            HttpResponse<InputStream> response = patiently(() -> call.request(bearer), call.again);
            if (response.statusCode() / 100 == 2) return response;
            // A token may be revoked before it ends.
            if (response.statusCode() != 401 || renewed || call.again == Call.Again.NEVER) throw refusal(response);
            synchronized (this) {
                until = Instant.MIN;
            }
        }
    }

    private synchronized String bearer() {
        if (Instant.now().isAfter(until)) {
            Instant asked = Instant.now();
            HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/auth/oauth/token"))
                .header("Content-Type", "application/x-www-form-urlencoded").timeout(TIMEOUT)
                .POST(BodyPublishers.ofString(form)).build();
            HttpResponse<InputStream> response = patiently(() -> request, Call.Again.ALWAYS);
            if (response.statusCode() != 200) throw refusal(response);
            try {
                var found = JSON.readTree(text(response));
                token = found.get("access_token").asText();
                until = asked.plusSeconds(found.get("expires_in").asLong()).minus(AHEAD);
            } catch (JsonProcessingException error) {
                throw new MusterException(200, null, null, "a token that cannot be read", error);
            }
        }
        return token;
    }

    /** Again after 429 and 503, as `Retry-After` says, and after a failure of the network where that does no harm. */
    private HttpResponse<InputStream> patiently(Supplier<HttpRequest> request, Call.Again again) {
        Instant end = Instant.now().plus(patience);
        for (long pause = 200; ; pause = Math.min(pause * 2, 5_000)) {
            long wait = pause;
            try {
                HttpResponse<InputStream> response = http.send(request.get(), BodyHandlers.ofInputStream());
                boolean busy = response.statusCode() == 429 || response.statusCode() == 503;
                wait = Math.max(pause, retryAfter(response) == null ? 0 : retryAfter(response) * 1_000L);
                if (!busy || again == Call.Again.NEVER || Instant.now().plusMillis(wait).isAfter(end)) return response;
                text(response);
            } catch (IOException error) {
                if (again != Call.Again.ALWAYS || Instant.now().plusMillis(wait).isAfter(end)) throw lost(error);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                throw lost(error);
            }
            try {
                Thread.sleep(wait);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                throw lost(error);
            }
        }
    }

    private <T> Stream<T> lines(Call call, Class<T> type) {
        InputStream body = open(call).body();
        BufferedReader reader = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        return reader.lines().filter(line -> !line.isBlank()).map(line -> {
            try {
                return JSON.readValue(line, type);
            } catch (JsonProcessingException error) {
                throw new MusterException(200, null, null, "a line that cannot be read", error);
            }
        }).onClose(() -> {
            try {
                body.close();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        });
    }

    private static <T> Answer<T> answered(T data, HttpResponse<InputStream> response) {
        String etag = response.headers().firstValue("ETag").orElse("");
        boolean replayed = response.headers().firstValue("Idempotency-Replayed").orElse("").equals("true");
        return new Answer<>(data, etag, replayed);
    }

    private static MusterException refusal(HttpResponse<InputStream> response) {
        String text = text(response);
        Problem problem = null;
        if (response.headers().firstValue("Content-Type").orElse("").startsWith("application/problem+json")) {
            try {
                problem = JSON.readValue(text, Problem.class);
            } catch (JsonProcessingException error) {
                // Then it is told as it is.
            }
        }
        String told = problem == null ? text.substring(0, Math.min(200, text.length())) : problem.getDetail();
        String place = response.request().method() + " " + response.uri().getPath();
        int status = response.statusCode();
        return new MusterException(status, problem, retryAfter(response), place + ": " + status + " " + told, null);
    }

    private static Integer retryAfter(HttpResponse<?> response) {
        String text = response.headers().firstValue("Retry-After").orElse("");
        return text.matches("\\d{1,6}") ? Integer.valueOf(text) : null;
    }

    private static String text(HttpResponse<InputStream> response) {
        try (InputStream body = response.body()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw lost(error);
        }
    }

    private static MusterException lost(Exception cause) {
        return new MusterException(0, null, null, "no answer: " + cause, cause);
    }

    /** A line for each value, made as it is read. */
    private static final class Lines extends InputStream {
        private final Iterator<ResourceInput> values;
        private byte[] line = new byte[0];
        private int at;

        Lines(Iterator<ResourceInput> values) {
            this.values = values;
        }

        @Override
        public int read() throws IOException {
            return more() ? line[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (!more()) return -1;
            int count = Math.min(length, line.length - at);
            System.arraycopy(line, at, bytes, offset, count);
            at += count;
            return count;
        }

        private boolean more() throws IOException {
            if (at == line.length && values.hasNext()) {
                line = (JSON.writeValueAsString(values.next()) + "\n").getBytes(StandardCharsets.UTF_8);
                at = 0;
            }
            return at < line.length;
        }
    }
}
