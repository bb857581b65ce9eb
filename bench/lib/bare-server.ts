import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

/**
 * A bare Fastify, what a route costs at the least: each path answers the bytes that were announced with it. Says its
 * port, and its CPU time whenever it is asked.
 */
const server = Fastify();
const bodies = new Map<string, Buffer>();
server.get('/*', (request, reply) => {
  reply.type('application/json; charset=utf-8').send(bodies.get(request.raw.url!));
});
await server.listen({ host: '127.0.0.1', port: 0 });
process.on('message', (message: 'cpu' | { path: string; body: string }) => {
  if (message === 'cpu') process.send!({ cpu: process.cpuUsage() });
  else bodies.set(message.path, Buffer.from(message.body, 'utf8'));
});
process.on('disconnect', () => process.exit(0));
process.send!({ port: (server.server.address() as AddressInfo).port });
