import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { repairUnixSockets } from "../../../src/upstream/compat/unix_socket.ts";

const original = { connect: net.connect };

Deno.test("repairUnixSockets() hides the stack while a socket that connects to a path is made", async () => {
  const limits: unknown[] = [];
  net.connect = ((...args: Parameters<typeof net.connect>) => {
    limits.push(Error.stackTraceLimit);
    return original.connect(...args);
  }) as typeof net.connect;
  const { stackTraceLimit } = Error;
  repairUnixSockets();

  const path = `${await Deno.makeTempDir()}/socket`;
  const server = net.createServer((socket) => socket.end("hello")).listen(path);
  await once(server, "listening");
  const socket = net.connect(path);
  assert.equal(Error.stackTraceLimit, stackTraceLimit);
  const [data] = await once(socket, "data");
  assert.equal(String(data), "hello");
  socket.destroy();
  server.close();
  await once(server, "close");

  const port = net.createServer().listen(0, "127.0.0.1");
  await once(port, "listening");
  const tcp = net.connect((port.address() as net.AddressInfo).port, "127.0.0.1");
  await once(tcp, "connect");
  tcp.destroy();
  port.close();
  await once(port, "close");
  assert.deepEqual(limits, [0, stackTraceLimit]);
});
