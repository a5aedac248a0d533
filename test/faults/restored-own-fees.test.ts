/** Without a sponsor, USDC leaves an agent's wallet in transactions of the wallet itself, which its books know. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { AgentId } from '@market/contract';
import { generatePrivateKey } from 'viem/accounts';
import { walletHolder } from '../../packages/server/src/features/agent-wallets/index.ts';
import { insertMovement } from '../../packages/server/src/features/agent-wallets/repository.ts';
import { insertAttempt } from '../../packages/server/src/features/outgoing/attempt-repository.ts';
import { localEndpoints } from '../../packages/server/src/platform/chains/network-endpoints.ts';
import { createLocalEvmSigner } from '../../packages/server/src/platform/chains/treasury-signer.ts';
import { openWalletChains } from '../../packages/server/src/platform/wallets/wallet-chains.ts';
import { fundAddress } from '../agent-wallets/stage.ts';
import { registerAgent } from '../harness/agents.ts';
import { freshAddress, openPayer, untilLanded } from '../harness/payers.ts';
import { USDC } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('B05: USDC sends for which a wallet pays the fees are explained; a transaction by another holder of the key is a stranger', async () => {
  const server = await shared.startServer();
  const agent = await registerAgent(server.url);
  await server.kill('SIGTERM');
  const walletChains = openWalletChains({
    endpoints: localEndpoints(shared.localChains.networks),
    sponsors: { solana: undefined, evm: undefined },
    secondOpinionFromMicros: 1_000_000n * USDC,
    tokenLauncher: 'token2022',
  });
  const key = generatePrivateKey();
  const signer = createLocalEvmSigner(key);
  const agentId = agent.id as AgentId;
  const { database, events } = shared.money;
  const holder = walletHolder(
    { database, events, walletChains, chains: shared.chains },
    { agentId, network: NETWORK, address: signer.address },
  );
  await fundAddress(shared, NETWORK, signer.address, { usdcMicros: 50n * USDC, native: 10n ** 18n });
  const { cursor } = await holder.compare(null);

  const chain = walletChains.open(NETWORK, signer, 'usdc');
  for (let round = 0; round < 2; round++) {
    const transfer = { intentId: `mov_${randomUUID()}`, destination: freshAddress(NETWORK), asset: 'usdc', amount: 2n * USDC } as const;
    const signed = await chain.signTransfer(transfer);
    await database.transaction(async (tx) => {
      const { intentId: id, ...what } = transfer;
      await insertMovement(tx, { ...what, id, agentId, purpose: 'send', network: NETWORK, wallet: signer.address });
      await insertAttempt(tx, { intentId: id, number: 1 }, signed);
    });
    await chain.broadcast(signed);
    await untilLanded(chain, signed.reference, 'final');
  }
  assert.deepEqual((await holder.compare(cursor)).strangers, []);

  const reference = await openPayer(shared, NETWORK, key).pay(freshAddress(NETWORK), USDC, 'final');
  const strangers = (await holder.compare(cursor)).strangers.map((stranger) => stranger.reference);
  assert.deepEqual(strangers, [reference, `${signer.address} transactions 2 to 2`]);
});
