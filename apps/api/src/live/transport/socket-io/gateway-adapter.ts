import { Injectable, type WsMessageHandler } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { AbstractWsAdapter } from '@nestjs/websockets';
import type { Namespace, Socket } from 'socket.io';
import { SocketIoServer } from './socket-io-server.js';

/**
 * Gives Nest the namespace of the server that is there already, for the gateway that it finds among the providers. An adapter of
 * Nest's would open a server of its own, and upgrade connections before anything could look at their key.
 */
@Injectable()
export class GatewayAdapter extends AbstractWsAdapter {
  constructor(
    private readonly server: SocketIoServer,
    config: ApplicationConfig,
  ) {
    super();
    config.setIoAdapter(this);
  }

  create(): Namespace {
    return this.server.namespace;
  }

  /** A message is answered by frames; one that asks for an acknowledgement gets an empty one, after them. */
  bindMessageHandlers(client: Socket, handlers: WsMessageHandler[]): void {
    for (const { message, callback } of handlers) {
      client.on(message, async (...given: unknown[]) => {
        const last = given.at(-1);
        await callback(typeof given[0] === 'function' ? undefined : given[0]);
        if (typeof last === 'function') last();
      });
    }
  }

  /** The server ends with the transports, in the order of the listeners. */
  override async close(): Promise<void> {}
}
