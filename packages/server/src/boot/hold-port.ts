/**
 * A free port before there is a server for it, because the server is made with its own address. It is held until then: a port that is only
 * looked up may be somebody else's a moment later, one of our own chains' for example.
 */
import { createServer } from 'node:net';

export interface HeldPort {
  readonly port: number;
  /** To be called right before listening there. */
  release(): Promise<void>;
}

export async function holdFreePort(host: string): Promise<HeldPort> {
  const holder = createServer();
  await new Promise<void>((resolve, reject) => holder.once('error', reject).listen(0, host, resolve));
  const address = holder.address();
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return {
    port: address.port,
    release: () => new Promise((resolve) => void holder.close(() => resolve())),
  };
}
