// Streams of lines of JSON (NDJSON).

/** The values on the lines of an answer, as they arrive. */
export async function* readLines<T>(response: Response): AsyncGenerator<T, void, undefined> {
  if (!response.body) return;
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = done ? "" : (lines.pop() ?? "");
      for (const line of lines) {
        if (line.trim() !== "") yield JSON.parse(line) as T;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** A body of a line for each value, in pieces of some size. */
export function lineStream(values: Iterable<unknown> | AsyncIterable<unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    let text = "";
    for await (const value of values) {
      text += `${JSON.stringify(value)}\n`;
      if (text.length >= 16_384) {
        yield encoder.encode(text);
        text = "";
      }
    }
    if (text !== "") yield encoder.encode(text);
  }
  const iterator = pieces();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return();
    },
  });
}
