/** Contract wallets proven on another network than Base: a signature copied from the address of a refused call spends nothing either. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { sandboxSmartWallet } from '@market/sandbox/evm';
import { erc20Abi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeDeployData, encodeFunctionData, getAddress } from 'viem/utils';
import { countRows, requireOutcomes } from '../../harness/authority.ts';
import { asQuery, call } from '../../harness/http.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { listService, openProvider } from '../../harness/orders.ts';
import { type EvmPayer, openPayer, untilLanded } from '../../harness/payers.ts';
import { asHeaders, signed, type TestWallet } from '../../harness/people.ts';

const AWAY = 'alt-mainnet';
const PRICE = 5_500_000n;

let market: TestMarket;
let url: string;
/** The thief's service; it costs a machine 5.50. */
let bait: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  bait = await listService(url, await openProvider(url), { price_usd: '5.00', title: 'Nothing at all' });
});
after(() => market.close());

async function openFunded(network: NetworkName, secretKey: Hex): Promise<EvmPayer> {
  const payer = openPayer(market, network, secretKey);
  assert.ok(payer.kind === 'evm');
  await market.localChains?.fund({ network, address: payer.address, usdcMicros: 0n, native: 10n ** 19n });
  while ((await payer.chain.readBalances(payer.address)).native === 0n) await new Promise((resolve) => setTimeout(resolve, 50));
  return payer;
}

interface Contract extends TestWallet {
  readonly key: Hex;
}

async function openContract(network: NetworkName): Promise<Contract> {
  const key = generatePrivateKey();
  const owner = privateKeyToAccount(key);
  const { wallet, reader } = await openFunded(network, key);
  const { abi, creationCode: bytecode } = sandboxSmartWallet;
  const hash = await wallet.sendTransaction({ data: encodeDeployData({ abi, bytecode, args: [owner.address] }), gas: 5_000_000n });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  assert.ok(typeof contractAddress === 'string');
  return { chain: 'base', address: getAddress(contractAddress), key, sign: (message) => owner.signMessage({ message }) };
}

async function payFrom({ address, key }: Contract, network: NetworkName, micros: bigint): Promise<string> {
  const owner = await openFunded(network, key);
  const { chain } = owner;
  await market.localChains?.fund({ network, address, usdcMicros: micros, native: 0n });
  while ((await chain.readBalances(address)).usdcMicros < micros) await new Promise((resolve) => setTimeout(resolve, 50));
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [chain.treasury as Hex, micros] });
  const data = encodeFunctionData({ abi: sandboxSmartWallet.abi, functionName: 'execute', args: [chain.usdcAddress as Hex, 0n, transfer] });
  const hash = await owner.wallet.sendTransaction({ to: address as Hex, data, gas: 300_000n });
  await untilLanded(chain, hash, 'final');
  return hash;
}

test('V19: a signature of a contract wallet outside Base, copied from the address of a refused call, spends no transfer', async () => {
  const victim = await openContract(AWAY);
  const reference = await payFrom(victim, AWAY, PRICE);
  const fields = await signed(victim);
  const refused = await call(url, `POST /api/x402/pay${asQuery(fields)}`, { body: { brief: 'What I wanted.' } });
  const taken = await hireWith(url, bait, { ...transferProof(AWAY, reference), ...asHeaders(fields) }, { brief: 'All of it for me.' });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    hire: [taken, '401 signature_already_used'],
    'transfers spent': [await countRows(market, 'payment_claims', 'reference', reference), 0],
  });
});
