package net.muster;

import java.util.LinkedHashMap;
import java.util.Map;
import net.muster.model.Problem;
import net.muster.model.ProblemField;

/** A request that the service refused, or that did not reach it. */
public final class MusterException extends RuntimeException {
    private final int status;
    private final transient Problem problem;
    private final Integer retryAfter;

    MusterException(int status, Problem problem, Integer retryAfter, String told, Throwable cause) {
        super(told, cause);
        this.status = status;
        this.problem = problem;
        this.retryAfter = retryAfter;
    }

    /** The HTTP status; 0 when there was no answer. */
    public int status() {
        return status;
    }

    /** What the service says about it; null when it says nothing. */
    public Problem problem() {
        return problem;
    }

    /** A stable code, such as `0003` of what is not found; null when there is none. */
    public String code() {
        return problem == null ? null : problem.getCode();
    }

    /** Seconds after which to try again; null when the service does not say. */
    public Integer retryAfter() {
        return retryAfter;
    }

    /** What is wrong with each field of the request. */
    public Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        if (problem != null && problem.getErrors() != null) {
            for (ProblemField error : problem.getErrors()) fields.put(error.getFieldName(), error.getMessage());
        }
        return fields;
    }
}
