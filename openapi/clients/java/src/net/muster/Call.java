package net.muster;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** A call of an operation, as the generated code fills it in. */
public final class Call {
    /** May it be sent again also when nobody knows what became of it, when it was refused, or never? */
    enum Again { ALWAYS, REFUSED, NEVER }

    private final Muster muster;
    private final String method;
    private final StringBuilder query = new StringBuilder();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private String path;
    private Supplier<BodyPublisher> body = BodyPublishers::noBody;
    Again again;

    Call(Muster muster, String method, String path) {
        this.muster = muster;
        this.method = method;
        this.path = path;
        boolean once = method.equals("POST") && path.contains("{tenantId}") && !path.endsWith("/bulk");
        if (once) headers.put("Idempotency-Key", UUID.randomUUID().toString());
        again = once || method.equals("GET") ? Again.ALWAYS : Again.REFUSED;
        if (path.contains("{tenantId}")) path("tenantId", muster.tenant());
    }

    public void path(String name, Object value) {
        if (value == null) throw new IllegalArgumentException(name + " is needed");
        path = path.replace("{" + name + "}", encode(value.toString()));
    }

    public void query(String name, Object value) {
        if (value == null) return;
        query.append(query.length() == 0 ? '?' : '&').append(name).append('=').append(encode(value.toString()));
    }

    public void header(String name, Object value) {
        if (value != null) headers.put(name, value.toString());
    }

    public void body(String media, Object value) {
        if (value == null) return;
        headers.put("Content-Type", media);
        try {
            String text = value instanceof String whole ? whole : Muster.JSON.writeValueAsString(value);
            body = () -> BodyPublishers.ofString(text);
        } catch (IOException error) {
            throw new IllegalArgumentException(error);
        }
    }

    void body(String media, Supplier<BodyPublisher> stream) {
        headers.put("Content-Type", media);
        body = stream;
    }

    public <T> Answer<T> send(TypeReference<T> type) {
        return muster.send(this, type);
    }

    HttpResponse<InputStream> open() {
        return muster.open(this);
    }

    HttpRequest request(String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(muster.url() + path + query));
        headers.forEach(request::header);
        request.header("Authorization", "Bearer " + token);
        return request.timeout(Muster.TIMEOUT).method(method, body.get()).build();
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
