/**
 * The sandbox's own wallet: a key in this browser with worthless coins, so that anybody completes a hire in a minute. Its signing code is
 * loaded on use.
 */
import type { TestKey } from './test-key.ts';
import type { WalletKind, WalletOffer, WalletSession } from './wallet-session.ts';

export interface TestWalletSurroundings {
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly broadcastForeign: (payment: { readonly network: string; readonly signed: string }) => Promise<string>;
  /** Sends signed bytes to the sandbox's own node of Base. */
  readonly broadcastCall: (signed: string) => Promise<void>;
}

const names: Readonly<Record<WalletKind, string>> = { evm: 'Test wallet', solana: 'Test wallet' };
const KEY_BYTES = 32;

export function testWalletOffers(surroundings: TestWalletSurroundings): readonly WalletOffer[] {
  return (['evm', 'solana'] as const).map((kind) => ({
    id: `test:${kind}`,
    kind,
    name: names[kind],
    icon: undefined,
    isTest: true,
    connect: async () => await openTestWallet(kind, surroundings),
  }));
}

async function openTestWallet(
  kind: WalletKind,
  { storage, broadcastForeign, broadcastCall }: TestWalletSurroundings,
): Promise<WalletSession> {
  const key = await openKey(kind, readSecret(kind, storage));
  const { signCall } = key;
  return {
    id: `test:${kind}`,
    name: names[kind],
    kind,
    address: key.address,
    signMessage: (text) => key.signMessage(text),
    isElsewhere: async () => false,
    enterNetwork: async () => undefined,
    async payUsdc(payment, keep) {
      const { reference, signed } = await key.signPayment(payment);
      keep(reference);
      return await broadcastForeign({ network: payment.network, signed });
    },
    ...(signCall !== undefined && {
      async sendCall(call, keep) {
        const { reference, signed } = await signCall(call);
        keep(reference);
        await broadcastCall(signed);
        return reference;
      },
    }),
    onChange: () => () => undefined,
  };
}

async function openKey(kind: WalletKind, secret: Uint8Array): Promise<TestKey> {
  if (kind === 'evm') return (await import('./test-key-evm.ts')).openEvmKey(secret);
  return (await import('./test-key-solana.ts')).openSolanaKey(secret);
}

/** Creates the key once per browser. Any user of this browser can read it, which is acceptable only for worthless coins. */
function readSecret(kind: WalletKind, storage: TestWalletSurroundings['storage']): Uint8Array {
  const name = `market.test-wallet.${kind}`;
  const kept = storage.getItem(name);
  if (kept !== null && new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`).test(kept))
    return Uint8Array.from(kept.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const secret = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  storage.setItem(name, Array.from(secret, (byte) => byte.toString(16).padStart(2, '0')).join(''));
  return secret;
}
