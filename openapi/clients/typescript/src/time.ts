// Times of the service: GMT, `2026-11-20T20:37:00+0000`, without the colon that RFC 3339 has in an offset.

/** The instant that a time of the service stands for. */
export function parseTime(text: string): Date {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d):?(\d\d)$/.exec(text);
  const instant = new Date(parts ? `${parts[1]}${parts[2]}:${parts[3]}` : text);
  if (Number.isNaN(instant.getTime())) throw new RangeError(`not a time: ${text}`);
  return instant;
}

/** An instant as the service writes it. */
export function formatTime(instant: Date): string {
  return instant.toISOString().replace(/\.\d+Z$/, "+0000");
}
