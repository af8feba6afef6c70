package net.muster;

/** What a list is asked for, which can go on from a cursor. */
public interface FromCursor {
    void goOn(String cursor);
}
