package net.muster;

import java.util.List;

/** A page of a list. */
public interface PageOf<T> {
    List<T> getResults();

    /** Where the next page starts; null on the last one. */
    String getNextCursor();
}
