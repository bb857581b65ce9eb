import type { Connection } from '@solana/web3.js';

/** Ends the socket of a web3.js client, which would otherwise try again for ever once the chain is gone. */
export function closeClient(connection: Connection): void {
  const { _rpcWebSocket: socket } = connection as unknown as {
    _rpcWebSocket: { setAutoReconnect(on: boolean): void; close(): void };
  };
  socket.setAutoReconnect(false);
  socket.close();
}
