/** Implements `market signer`: a process with the treasury keys, its own database connection, and a server for the service's requests. */
import path from 'node:path';
import { openConfiguredChains } from './boot/open-configured-chains.ts';
import { reachDatabase } from './boot/reach-database.ts';
import { loadConfig } from './config.ts';
import { readStoredVenueCall } from './features/earn/index.ts';
import { readStoredIntent } from './features/payouts/index.ts';
import { openDatabase } from './platform/db/database.ts';
import { createSignerServer } from './platform/signer/signer-server.ts';
import { createSignerService } from './platform/signer/signer-service.ts';
import { openSigningJournal } from './platform/signer/signing-journal.ts';
import { createLogger } from './platform/telemetry/logger.ts';

export interface RunningSigner {
  readonly url: string;
  readonly treasuries: readonly string[];
  close(): Promise<void>;
}

export async function startSigner(): Promise<RunningSigner> {
  const config = loadConfig('signer');
  const { secret } = config.signer;
  if (secret === undefined) throw new Error('SIGNER_SECRET must be set for market signer (openssl rand -hex 32).');
  const log = createLogger(config.log);
  const reached = await reachDatabase(config, { log, onGivenUp: (error) => log.error({ err: error }, 'the database is gone') });
  const onError = (error: Error): void => log.error({ err: error }, 'a database connection broke');
  const database = openDatabase({ connection: reached.connection, poolSize: 2, onError });
  const opened = await openConfiguredChains({ ...config, signer: { ...config.signer, url: undefined } }, log);
  const journal = await openSigningJournal(path.join(config.dataDir, 'signer'));
  const readIntent = (id: string) => readStoredIntent(database.db, id);
  const { chains } = opened;
  const { venues } = config.earn;
  const readVenueCall = (id: string) => readStoredVenueCall(database.db, id, venues);
  const service = createSignerService({ chains, limits: config.outflow, journal, log, readIntent, readVenueCall, venues });
  const server = createSignerServer({ service, secret, log });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.signer.port, config.host, resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.signer.port;
  return {
    url: `http://${config.host}:${port}`,
    treasuries: [...opened.chains.values()].map(({ network, treasury }) => `${network} ${treasury}`),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
      await journal.close();
      await opened.close();
      await database.close();
      await reached.release();
    },
  };
}
