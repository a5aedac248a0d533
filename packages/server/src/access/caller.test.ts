import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asLinked, type Caller, type UserCaller, type WalletCaller, walletsOf } from './caller.ts';

const contract = (...networks: ('base-mainnet' | 'alt-mainnet')[]): WalletCaller => ({
  chain: 'base',
  address: '0xC',
  proof: 'signature',
  provenOn: networks.map((network) => ({ network, caip2: network === 'base-mainnet' ? 'eip155:8453' : 'eip155:42161' })),
});
const key: WalletCaller = { chain: 'base', address: '0xK', proof: 'signature' };
const byCookieOnly = false;
const linked: UserCaller = {
  id: 'usr_1',
  admin: false,
  identity: { userId: 'usr_1', emailVerified: false, wallets: [], admin: false },
  ...asLinked([{ address: '0xK' }, contract('base-mainnet')]),
};

test('I16: a key-based wallet is valid on every network, a contract wallet only where it was proven', () => {
  const cases: [Caller, string | undefined, readonly string[]][] = [
    [{ wallet: key, byCookieOnly }, undefined, ['0xK']],
    [{ wallet: key, byCookieOnly }, 'alt-mainnet', ['0xK']],
    [{ wallet: contract('base-mainnet'), byCookieOnly }, undefined, ['0xC']],
    [{ wallet: contract('base-mainnet'), byCookieOnly }, 'eip155:8453', ['0xC']],
    [{ wallet: contract('base-mainnet'), byCookieOnly }, 'alt-mainnet', []],
    [{ walletElsewhere: contract('alt-mainnet'), byCookieOnly }, undefined, []],
    [{ walletElsewhere: contract('alt-mainnet'), byCookieOnly }, 'base-mainnet', []],
    [{ walletElsewhere: contract('alt-mainnet'), byCookieOnly }, 'alt-mainnet', ['0xC']],
    [{ wallet: contract('base-mainnet', 'alt-mainnet'), byCookieOnly }, 'eip155:42161', ['0xC']],
    [{ user: linked, byCookieOnly }, undefined, ['0xK', '0xC']],
    [{ user: linked, byCookieOnly }, 'base-mainnet', ['0xK', '0xC']],
    [{ user: linked, byCookieOnly }, 'alt-mainnet', ['0xK']],
  ];
  for (const [caller, on, expected] of cases) assert.deepEqual(walletsOf(caller, on), expected, `${JSON.stringify(caller)} ${on}`);
});
