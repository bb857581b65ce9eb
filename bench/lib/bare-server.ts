import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

/**
 * A bare Fastify, what a route costs at the least: GET and POST of each path answer the bytes that the first message gives with it.
 * Says its port, then its CPU time whenever it is asked.
 */
process.once('message', async (bodies: Record<string, string>) => {
  const server = Fastify();
  for (const [url, text] of Object.entries(bodies)) {
    const body = Buffer.from(text, 'utf8');
    server.route({
      ...{ method: ['GET', 'POST'], url },
      handler: (_, reply) => reply.type('application/json; charset=utf-8').send(body),
    });
  }
  await server.listen({ host: '127.0.0.1', port: 0 });
  process.on('message', () => process.send!({ cpu: process.cpuUsage() }));
  process.send!({ port: (server.server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit(0));
