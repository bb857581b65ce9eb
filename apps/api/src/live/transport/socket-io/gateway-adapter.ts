import type { WsMessageHandler } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import { AbstractWsAdapter } from '@nestjs/websockets';
import { GatewayMetadataExplorer } from '@nestjs/websockets/gateway-metadata-explorer.js';
import type { Namespace, Socket } from 'socket.io';

/** What a gateway does in addition to its messages. */
export interface Gateway {
  handleConnection(client: Socket): void;
  handleDisconnect(client: Socket): void;
}

const explorer = new GatewayMetadataExplorer(new MetadataScanner());

/**
 * Binds a Nest gateway to a namespace of a server that is there already. Nest itself would open a server of its own, and
 * upgrade connections before anything could look at their key.
 */
export class GatewayAdapter extends AbstractWsAdapter {
  constructor(private readonly namespace: Namespace) {
    super();
  }

  bind(gateway: Gateway): void {
    const handlers = explorer.explore(gateway);
    this.bindClientConnect(this.create(), (client: Socket) => {
      gateway.handleConnection(client);
      this.bindClientDisconnect(client, () => gateway.handleDisconnect(client));
      const bound = handlers.map(({ message, callback, methodName, isAckHandledManually }) => ({
        ...{ message, methodName, isAckHandledManually },
        callback: callback.bind(gateway, client),
      }));
      this.bindMessageHandlers(client, bound);
    });
  }

  create(): Namespace {
    return this.namespace;
  }

  /** A message is answered by frames; one that asks for an acknowledgement gets an empty one. */
  bindMessageHandlers(client: Socket, handlers: WsMessageHandler[]): void {
    for (const { message, callback } of handlers) {
      client.on(message, (...given: unknown[]) => {
        const last = given.at(-1);
        callback(typeof given[0] === 'function' ? undefined : given[0]);
        if (typeof last === 'function') last();
      });
    }
  }
}
