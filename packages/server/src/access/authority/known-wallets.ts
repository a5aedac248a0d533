/** Notes each wallet that proves itself. From then on a bare hash of its transfers is not enough. */
import type { Db } from '../../platform/db/database.ts';
import type { WalletCaller } from '../caller.ts';
import { insertWalletProof } from './known-wallets-repository.ts';

export interface KnownWallets {
  /** Notes the wallet of a call, once per process. */
  note(wallet: WalletCaller): Promise<void>;
}

const MOST_REMEMBERED = 50_000;

export function createKnownWallets({ db }: { readonly db: Db }): KnownWallets {
  const noted = new Set<string>();
  return {
    async note({ address, proof }) {
      if (noted.has(address)) return;
      await insertWalletProof(db, address, proof === 'session' ? 'session' : 'signature');
      if (noted.size >= MOST_REMEMBERED) noted.clear();
      noted.add(address);
    },
  };
}
