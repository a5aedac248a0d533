/**
 * Installed Solana wallets, found by the Wallet Standard. The wallet only signs transactions; we submit them, so the reference is known
 * before money moves.
 */
import { encodeBase58 } from './base58.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { splitTransaction } from './solana-message.ts';
import { explainWalletError, type WalletOffer, WalletProblem, type WalletSession } from './wallet-session.ts';

interface Account {
  readonly address: string;
}

interface Features {
  readonly 'standard:connect'?: { connect(input?: { readonly silent?: boolean }): Promise<{ readonly accounts: readonly Account[] }> };
  readonly 'standard:events'?: { on(event: 'change', listener: () => void): () => void };
  readonly 'solana:signMessage'?: {
    signMessage(input: { readonly account: Account; readonly message: Uint8Array }): Promise<readonly { readonly signature: Uint8Array }[]>;
  };
  readonly 'solana:signIn'?: { signIn(input: SignInInput): Promise<readonly SignedIn[]> };
  readonly 'solana:signTransaction'?: {
    signTransaction(input: {
      readonly account: Account;
      readonly transaction: Uint8Array;
      readonly chain: string;
    }): Promise<readonly { readonly signedTransaction: Uint8Array }[]>;
  };
}

/** Fields of the sign-in message, in the names of the Wallet Standard. */
type SignInInput = Readonly<Record<string, string>>;

interface SignedIn {
  readonly signedMessage: Uint8Array;
  readonly signature: Uint8Array;
}

interface StandardWallet {
  readonly name: string;
  readonly icon: string;
  readonly chains: readonly string[];
  readonly accounts: readonly Account[];
  readonly features: Features;
}

export type BroadcastForeign = (signed: string) => Promise<string>;

const CHAIN = 'solana:mainnet';
const MAX_NAME = 40;

export function watchSolanaWallets(found: (offer: WalletOffer) => void, broadcastForeign: BroadcastForeign): () => void {
  const seen = new Set<string>();
  const register = (...wallets: readonly StandardWallet[]): (() => void) => {
    for (const wallet of wallets) {
      if (!isFit(wallet) || seen.has(wallet.name)) continue;
      seen.add(wallet.name);
      found(offerOf(wallet, broadcastForeign));
    }
    return () => undefined;
  };
  // Wallets that load later call us; wallets that loaded earlier wait for this event.
  const api = Object.freeze({ register });
  const hear = (event: Event): void => {
    const { detail } = event as CustomEvent<unknown>;
    if (typeof detail === 'function') detail(api);
  };
  addEventListener('wallet-standard:register-wallet', hear);
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
  return () => removeEventListener('wallet-standard:register-wallet', hear);
}

function isFit(wallet: StandardWallet): boolean {
  const needed = ['standard:connect', 'solana:signMessage', 'solana:signTransaction'] as const;
  return (
    typeof wallet?.name === 'string' &&
    wallet.chains?.includes(CHAIN) &&
    needed.every((feature) => wallet.features?.[feature] !== undefined)
  );
}

function offerOf(wallet: StandardWallet, broadcastForeign: BroadcastForeign): WalletOffer {
  const id = `solana:${wallet.name}`;
  const name = wallet.name.slice(0, MAX_NAME);
  return {
    id,
    kind: 'solana',
    name,
    icon: typeof wallet.icon === 'string' && wallet.icon.startsWith('data:image/') ? wallet.icon : undefined,
    isTest: false,
    async connect(silently) {
      const answered = await quietly(() => wallet.features['standard:connect']?.connect(silently ? { silent: true } : undefined), silently);
      const account = answered?.accounts[0] ?? wallet.accounts[0];
      if (account !== undefined) return sessionOf(wallet, { id, name, account, broadcastForeign });
      if (silently) return undefined;
      throw new WalletProblem('locked', 'The wallet gave no account. Unlock it and try again.');
    },
  };
}

async function quietly<T>(ask: () => Promise<T> | undefined, silently: boolean): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (silently) return undefined;
    throw explainWalletError(error);
  }
}

function sessionOf(
  { features }: StandardWallet,
  {
    id,
    name,
    account,
    broadcastForeign,
  }: { readonly id: string; readonly name: string; readonly account: Account; readonly broadcastForeign: BroadcastForeign },
): WalletSession {
  const signMessage = async (text: string): Promise<string> => {
    const message = new TextEncoder().encode(text);
    const signed = await quietly(() => features['solana:signMessage']?.signMessage({ account, message }), false);
    return encodeBase58(requireAnswer(signed?.[0]?.signature));
  };
  return {
    id,
    name,
    kind: 'solana',
    address: account.address,
    signMessage,
    async signIn(message) {
      const wallet = features['solana:signIn'];
      if (wallet === undefined) return await signMessage(message);
      const signed = (await quietly(() => wallet.signIn(signInFields(message)), false))?.[0];
      // A wallet that spells the message differently signed another text: ask it to sign ours as it is.
      return signed !== undefined && decodeText(signed.signedMessage).endsWith(message)
        ? encodeBase58(signed.signature)
        : await signMessage(message);
    },
    isElsewhere: async () => false,
    enterNetwork: async () => undefined,
    async payUsdc({ transaction, payer }, keep) {
      if (transaction.kind !== 'solana' || payer !== account.address) throw new Error('This payment is for another wallet.');
      const unsigned = fromBase64(transaction.transaction);
      const answered = await quietly(
        () => features['solana:signTransaction']?.signTransaction({ account, transaction: unsigned, chain: CHAIN }),
        false,
      );
      const signed = Uint8Array.from(requireAnswer(answered?.[0]?.signedTransaction));
      keep(encodeBase58(requireAnswer(splitTransaction(signed).signatures[0])));
      return await broadcastForeign(toBase64(signed));
    },
    onChange: (listener) => features['standard:events']?.on('change', listener) ?? (() => undefined),
  };
}

const signInNames: Readonly<Record<string, string>> = {
  URI: 'uri',
  Version: 'version',
  'Chain ID': 'chainId',
  Nonce: 'nonce',
  'Issued At': 'issuedAt',
  'Expiration Time': 'expirationTime',
  'Request ID': 'requestId',
};

/** The message in parts: the wallet rebuilds it and shows it as a sign-in. */
function signInFields(message: string): SignInInput {
  const [opening = '', address = '', , statement = '', , ...lines] = message.split('\n');
  const fields = lines.map((line) => {
    const at = line.indexOf(': ');
    return [signInNames[line.slice(0, at)] ?? '', line.slice(at + 2)] as const;
  });
  return { domain: opening.split(' ')[0] ?? '', address, statement, ...Object.fromEntries(fields.filter(([name]) => name !== '')) };
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function requireAnswer<T>(value: T | undefined): T {
  if (value === undefined)
    throw new WalletProblem('failed', 'The wallet did not answer with a signature. Try again, or use another wallet.');
  return value;
}
