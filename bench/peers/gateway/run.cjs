// A bare reverse proxy in front of a node: says its port, then its CPU time whenever it is asked.
const http = require('node:http');

const [kind, upstream] = process.argv.slice(2);

async function httpProxy() {
  const { createProxyServer } = require('http-proxy-3');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const proxy = createProxyServer({ target: upstream, agent });
  const server = http.createServer((request, response) => proxy.web(request, response));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server.address().port;
}

async function replyFrom() {
  const fastify = require('fastify')();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  fastify.register(require('@fastify/reply-from'), { base: upstream, undici: { connections: 64, pipelining: 1 } });
  fastify.post('/*', (_request, reply) => reply.from('/'));
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  return fastify.server.address().port;
}

process.on('message', () => process.send({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
(kind === 'http-proxy-3' ? httpProxy() : replyFrom()).then((port) => process.send({ port }));
