package net.muster;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Times of the service: GMT, `2026-11-20T20:37:00+0000`, without the colon that RFC 3339 has in an offset. */
public final class Times {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssxx");

    private Times() {}

    /** The instant that a time of the service stands for. */
    public static Instant parse(String text) {
        return OffsetDateTime.parse(text, FORMAT).toInstant();
    }

    /** An instant as the service writes it. */
    public static String format(Instant instant) {
        return FORMAT.format(instant.atOffset(ZoneOffset.UTC));
    }
}
