import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.stream.Stream;
import net.muster.Muster;
import net.muster.MusterException;
import net.muster.Times;
import net.muster.api.Resources;
import net.muster.api.Sites;
import net.muster.model.*;

/** The thin layer over the generated code, against answers that are made up here. */
public final class MusterTest {
    private static final String PROBLEM = """
        {"type": "about:blank", "title": "Invalid", "status": 400, "detail": "name: is missing", "code": "0002",
         "message": "name: is missing", "requestId": "r",
         "errors": [{"code": "0002", "fieldName": "name", "message": "is missing"}]}""";

    private record Made(int status, String body, Map<String, String> headers) {}

    private record Seen(String method, String target, String key, String body) {}

    private final Queue<Made> answers = new ArrayDeque<>();
    private final List<Seen> seen = Collections.synchronizedList(new ArrayList<>());
    private final HttpServer server;
    private final Muster muster;

    private MusterTest(Made... made) throws IOException {
        Collections.addAll(answers, made);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        muster = new Muster(url, "k", "s", "client_1", Duration.ofSeconds(5));
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        seen.add(new Seen(exchange.getRequestMethod(), exchange.getRequestURI().toString(), key, body));
        boolean token = exchange.getRequestURI().getPath().equals("/auth/oauth/token");
        Made made = token ? new Made(200, "{\"access_token\": \"t\", \"expires_in\": 7199}", Map.of()) : answers.remove();
        if (made.status() == 0) {
            // The connection ends without an answer.
            exchange.close();
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", made.status() < 400 ? "application/json" : "application/problem+json");
        made.headers().forEach(exchange.getResponseHeaders()::set);
        byte[] bytes = made.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(made.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static void check(boolean holds, Object told) {
        if (!holds) throw new AssertionError(told);
    }

    private static MusterException refused(Runnable call) {
        try {
            call.run();
        } catch (MusterException error) {
            return error;
        }
        throw new AssertionError("it was not refused");
    }

    public static void main(String[] arguments) throws IOException {
        Made made = new Made(200, "{\"resourceUUID\": \"u\", \"tenantID\": \"client_1\"}", Map.of());
        Made busy = new Made(503, PROBLEM, Map.of("Retry-After", "0"));
        MusterTest again = new MusterTest(busy, made);
        String id = new Resources(again.muster).createResource(new ResourceInput().hostName("a")).getResourceUUID();
        var keys = new HashSet<>(again.seen.stream().skip(1).map(Seen::key).toList());
        check(id.equals("u") && again.seen.size() == 3 && keys.size() == 1, again.seen);
        again.server.stop(0);

        Made refused = new Made(401, PROBLEM.replace("0002", "invalid_token"), Map.of());
        MusterTest revoked = new MusterTest(refused, refused);
        MusterException error = refused(() -> new Sites(revoked.muster).getSite(7L));
        check(error.status() == 401 && error.code().equals("invalid_token"), error);
        check(revoked.seen.stream().filter(one -> one.target().equals("/auth/oauth/token")).count() == 2, revoked.seen);
        revoked.server.stop(0);

        MusterTest pages = new MusterTest(
            new Made(200, "{\"results\": [{\"name\": \"a\"}], \"nextCursor\": \"c\"}", Map.of()),
            new Made(200, "{\"results\": [{\"name\": \"b\"}]}", Map.of()));
        List<String> names = new ArrayList<>();
        Resources resources = new Resources(pages.muster);
        var asked = new Resources.SearchResources().pageNo(1L).pageSize(1L);
        for (MinimalResource one : pages.muster.each(resources::searchResources, asked)) names.add(one.getName());
        check(names.equals(List.of("a", "b")), names);
        check(pages.seen.get(2).target().endsWith("?pageSize=1&cursor=c"), pages.seen);
        pages.server.stop(0);

        MusterTest bulk = new MusterTest(new Made(200, """
            {"line": 1, "result": "created"}
            {"result": "summary", "rows": 1, "created": 1}
            """, Map.of()));
        try (Stream<BulkLine> lines = bulk.muster.bulk(List.of(new ResourceInput().hostName("a")))) {
            List<BulkLine> all = lines.toList();
            check(all.get(0) instanceof BulkResult && all.get(1) instanceof BulkSummary last && last.getCreated() == 1, all);
        }
        check(bulk.seen.get(1).body().equals("{\"hostName\":\"a\"}\n") && bulk.seen.get(1).key() == null, bulk.seen);
        bulk.server.stop(0);

        MusterTest invalid = new MusterTest(new Made(400, PROBLEM, Map.of()));
        MusterException told = refused(() -> new Sites(invalid.muster).createSite(new SiteInput().name("")));
        check(told.fields().equals(Map.of("name", "is missing")), told.fields());
        invalid.server.stop(0);

        Instant instant = Instant.parse("2026-11-20T20:37:00Z");
        check(Times.parse("2026-11-20T20:37:00+0000").equals(instant), "parse");
        check(Times.format(instant).equals("2026-11-20T20:37:00+0000"), Times.format(instant));
    }
}
