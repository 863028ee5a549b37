package io.millrace.cli.control.top;

import io.millrace.console.Quantity;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Shown instead of a report while a data plane does not answer, since its last numbers would suggest that it serves.
 * Immutable.
 *
 * @param dataPlane name of it.
 * @param silentNs  since its last answer.
 * @param reason    why there is none; empty: not known yet, as it has neither answered nor been found gone.
 */
record TopOutage(String dataPlane, long silentNs, String reason)
{
    String line()
    {
        return dataPlane + (reason.isEmpty() ? " does not answer" : " is down") + ", last answer " +
            Quantity.duration(silentNs) + " ago" + (reason.isEmpty() ? "" : ": " + reason);
    }

    Map<String, Object> map()
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("data-plane", dataPlane);
        map.put("state", reason.isEmpty() ? "silent" : "down");
        map.put("last-answer-ns", silentNs);
        map.put("reason", reason);
        return map;
    }
}
