"""Links between machines: forwarders of TCP that can be cut. A link that is cut is silent, as when packets are lost:
connections stay open, new ones are taken, and nothing comes through. When it is mended what was sent arrives."""

import asyncio
import threading


class Links:
    """All links of a recipe, served by a thread."""

    def __init__(self, recipe, ports):
        self.recipe = recipe
        self.ports = ports
        self.whole = {}
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.call(self.listen())

    def call(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    async def listen(self):
        for source, target in self.recipe.links():
            whole = asyncio.Event()
            whole.set()
            self.whole[source, target] = whole
            for port in self.ports[target]:
                here = self.recipe.ports[port]

                def serve(reader, writer, whole=whole, there=(self.recipe.own(target), here)):
                    return self.forward(reader, writer, whole, there)

                await asyncio.start_server(serve, self.recipe.seen(source, target), here)

    async def forward(self, reader, writer, whole, there):
        await whole.wait()
        try:
            reader2, writer2 = await asyncio.open_connection(*there)
        except OSError:
            writer.transport.abort()
            return

        async def carry(source, sink):
            try:
                while data := await source.read(65536):
                    await whole.wait()
                    sink.write(data)
                    await sink.drain()
                await whole.wait()
            except OSError:
                pass
            finally:
                sink.close()

        await asyncio.gather(carry(reader, writer2), carry(reader2, writer))

    def cut(self, pairs):
        self.set(pairs, asyncio.Event.clear)

    def mend(self, pairs):
        self.set(pairs, asyncio.Event.set)

    def set(self, pairs, change):
        async def work():
            for pair in pairs:
                change(self.whole[pair])

        self.call(work())
