import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  concat,
  domainSeparator,
  type Hex,
  hashTypedData,
  keccak256,
  pad,
  parseAbiItem,
  parseSignature,
  toHex,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { sandboxSmartWallet } from './contracts/compiled/sandbox-smart-wallet.generated.ts';
import { sandboxUsdc } from './contracts/compiled/sandbox-usdc.generated.ts';
import type { EvmNode } from './node.ts';
import { connect, createPayer, randomAddress, startTestNode, usdc } from './test-node.ts';

const domain = { name: 'USD Coin', version: '2', chainId: base.id, verifyingContract: usdc.address } as const;

const AUTHORIZATION_FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;

const types = {
  TransferWithAuthorization: AUTHORIZATION_FIELDS,
  ReceiveWithAuthorization: AUTHORIZATION_FIELDS,
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

function authorize(from: Address, to: Address, value: bigint, changes: { validAfter?: bigint; validBefore?: bigint } = {}) {
  const nowSeconds = BigInt(Math.floor(Date.now() / 1000));
  return { from, to, value, validAfter: 0n, validBefore: nowSeconds + 3600n, nonce: generatePrivateKey(), ...changes };
}

type Authorization = ReturnType<typeof authorize>;

const inOrder = ({ from, to, value, validAfter, validBefore, nonce }: Authorization) =>
  [from, to, value, validAfter, validBefore, nonce] as const;

function signTransfer(account: PrivateKeyAccount, message: Authorization): Promise<Hex> {
  return account.signTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message });
}

function split(signature: Hex) {
  const { r, s, yParity } = parseSignature(signature);
  return [27 + yParity, r, s] as const;
}

async function reasonOf(attempt: Promise<unknown>): Promise<string | undefined> {
  const error = await attempt.then(
    () => assert.fail('the contract should refuse this'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof BaseError, String(error));
  const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  assert.ok(revert instanceof ContractFunctionRevertedError, error.message);
  return revert.reason;
}

describe('the sandbox USDC contract', () => {
  let node: EvmNode;
  let client: ReturnType<typeof connect>;
  const balanceOf = (address: Address) => client.readContract({ ...usdc, functionName: 'balanceOf', args: [address] });
  const succeed = async (hash: Hex) => {
    const receipt = await client.waitForTransactionReceipt({ hash });
    assert.equal(receipt.status, 'success');
    return receipt;
  };

  const endings: (() => unknown)[] = [];
  before(async () => {
    node = await startTestNode({ after: (end) => endings.unshift(end) });
    client = connect(node);
  });
  after(async () => {
    for (const end of endings) await end();
  });

  test('sandbox USDC has the name, version, decimals and EIP-712 domain of USDC on Base', async () => {
    const read = (functionName: 'name' | 'symbol' | 'version' | 'decimals' | 'DOMAIN_SEPARATOR') =>
      client.readContract({ ...usdc, functionName });
    assert.deepEqual(await Promise.all([read('name'), read('symbol'), read('version'), read('decimals')]), ['USD Coin', 'USDC', '2', 6]);
    assert.equal(await read('DOMAIN_SEPARATOR'), domainSeparator({ domain }));
  });

  test('a USDC transfer moves exactly the amount and leaves a Transfer event that getLogs finds', async () => {
    const payer = await createPayer(node, { micros: 25_000_000n });
    const to = randomAddress();
    const receipt = await succeed(await payer.writeContract({ ...usdc, functionName: 'transfer', args: [to, 5_000_000n] }));
    assert.equal(receipt.from, payer.account.address.toLowerCase());
    assert.ok(receipt.l1Fee !== null, 'receipts carry the fields of OP chains');
    assert.deepEqual([await balanceOf(payer.account.address), await balanceOf(to)], [20_000_000n, 5_000_000n]);
    const logs = await client.getLogs({
      address: usdc.address,
      event: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
      args: { to },
      fromBlock: 0n,
      toBlock: 'latest',
    });
    assert.deepEqual(
      logs.map(({ args, transactionHash }) => ({ value: args.value, transactionHash })),
      [{ value: 5_000_000n, transactionHash: receipt.transactionHash }],
    );
  });

  test('viem decodes the reason of a refused USDC transfer, before and after sending', async () => {
    const payer = await createPayer(node, { micros: 1n });
    const transfer = { ...usdc, functionName: 'transfer', args: [randomAddress(), 2n] } as const;
    assert.equal(
      await reasonOf(client.simulateContract({ ...transfer, account: payer.account })),
      'ERC20: transfer amount exceeds balance',
    );
    assert.equal(await reasonOf(payer.writeContract(transfer)), 'ERC20: transfer amount exceeds balance');
    const forced = await payer.writeContract({ ...transfer, gas: 100_000n });
    assert.equal((await client.waitForTransactionReceipt({ hash: forced })).status, 'reverted');
  });

  test('a relayer can use an EIP-3009 authorization once, and never a changed one', async () => {
    const payer = await createPayer(node, { micros: 10_000_000n, wei: 0n });
    const relayer = await createPayer(node);
    const to = randomAddress();
    const authorization = authorize(payer.account.address, to, 4_000_000n);
    const signature = split(await signTransfer(payer.account, authorization));
    const use = (changed: Authorization) =>
      relayer.writeContract({ ...usdc, functionName: 'transferWithAuthorization', args: [...inOrder(changed), ...signature] });

    assert.equal(await reasonOf(use({ ...authorization, value: 4_000_001n })), 'FiatTokenV2: invalid signature');
    await succeed(await use(authorization));
    assert.equal(await balanceOf(to), 4_000_000n);
    const state = { ...usdc, functionName: 'authorizationState', args: [payer.account.address, authorization.nonce] } as const;
    assert.equal(await client.readContract(state), true);
    assert.equal(await reasonOf(use(authorization)), 'FiatTokenV2: authorization is used or canceled');
  });

  test('an EIP-3009 authorization is refused before its start and from its end on', async () => {
    const payer = await createPayer(node, { micros: 1n });
    const nowSeconds = BigInt(Math.floor(Date.now() / 1000));
    const attempt = async (window: { validAfter: bigint; validBefore: bigint }) => {
      const authorization = authorize(payer.account.address, randomAddress(), 1n, window);
      const signature = await signTransfer(payer.account, authorization);
      return reasonOf(
        payer.writeContract({ ...usdc, functionName: 'transferWithAuthorization', args: [...inOrder(authorization), signature] }),
      );
    };
    const early = { validAfter: nowSeconds + 3600n, validBefore: nowSeconds + 7200n };
    assert.equal(await attempt(early), 'FiatTokenV2: authorization is not yet valid');
    assert.equal(await attempt({ validAfter: 0n, validBefore: nowSeconds - 60n }), 'FiatTokenV2: authorization is expired');
  });

  test('receiveWithAuthorization works for the payee only', async () => {
    const payer = await createPayer(node, { micros: 3_000_000n, wei: 0n });
    const payee = await createPayer(node);
    const authorization = authorize(payer.account.address, payee.account.address, 3_000_000n);
    const signature = await payer.account.signTypedData({ domain, types, primaryType: 'ReceiveWithAuthorization', message: authorization });
    const receive = { ...usdc, functionName: 'receiveWithAuthorization', args: [...inOrder(authorization), signature] } as const;
    const stranger = await createPayer(node);
    assert.equal(await reasonOf(stranger.writeContract(receive)), 'FiatTokenV2: caller must be the payee');
    await succeed(await payee.writeContract(receive));
    assert.equal(await balanceOf(payee.account.address), 3_000_000n);
  });

  test('a cancelled EIP-3009 authorization cannot be used', async () => {
    const payer = await createPayer(node, { micros: 1n });
    const authorization = authorize(payer.account.address, randomAddress(), 1n);
    const message = { authorizer: payer.account.address, nonce: authorization.nonce };
    const cancellation = await payer.account.signTypedData({ domain, types, primaryType: 'CancelAuthorization', message });
    const args = [payer.account.address, authorization.nonce, ...split(cancellation)] as const;
    await succeed(await payer.writeContract({ ...usdc, functionName: 'cancelAuthorization', args }));
    const signature = await signTransfer(payer.account, authorization);
    const use = payer.writeContract({ ...usdc, functionName: 'transferWithAuthorization', args: [...inOrder(authorization), signature] });
    assert.equal(await reasonOf(use), 'FiatTokenV2: authorization is used or canceled');
  });

  test("a smart wallet pays by its owner's signature in the bytes form, and by no other signature", async () => {
    const owner = await createPayer(node);
    const { contractAddress: wallet } = await succeed(
      await owner.deployContract({ abi: sandboxSmartWallet.abi, bytecode: sandboxSmartWallet.creationCode, args: [owner.account.address] }),
    );
    assert.ok(wallet);
    await node.fundUsdc(wallet, 7_000_000n);
    const to = randomAddress();
    const authorization = authorize(wallet, to, 7_000_000n);
    const use = (signature: Hex) =>
      owner.writeContract({ ...usdc, functionName: 'transferWithAuthorization', args: [...inOrder(authorization), signature] });

    const stranger = await createPayer(node, { wei: 0n });
    assert.equal(await reasonOf(use(await signTransfer(stranger.account, authorization))), 'FiatTokenV2: invalid signature');
    const signature = await signTransfer(owner.account, authorization);
    const hash = hashTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message: authorization });
    assert.equal(await client.verifyHash({ address: wallet, hash, signature }), true);
    await succeed(await use(signature));
    assert.equal(await balanceOf(to), 7_000_000n);
  });

  test('a USDC permit sets an allowance that transfers reduce', async () => {
    const owner = await createPayer(node, { micros: 9_000_000n, wei: 0n });
    const spender = await createPayer(node);
    const deadline = BigInt(Math.floor(Date.now() / 1000)) + 3600n;
    const message = { owner: owner.account.address, spender: spender.account.address, value: 5_000_000n, nonce: 0n, deadline };
    const signature = await owner.account.signTypedData({ domain, types, primaryType: 'Permit', message });
    const args = [message.owner, message.spender, message.value, deadline, ...split(signature)] as const;
    await succeed(await spender.writeContract({ ...usdc, functionName: 'permit', args }));
    const to = randomAddress();
    await succeed(await spender.writeContract({ ...usdc, functionName: 'transferFrom', args: [message.owner, to, 2_000_000n] }));
    const allowance = await client.readContract({ ...usdc, functionName: 'allowance', args: [message.owner, message.spender] });
    assert.deepEqual([allowance, await balanceOf(to)], [3_000_000n, 2_000_000n]);
    assert.equal(await reasonOf(spender.writeContract({ ...usdc, functionName: 'permit', args })), 'EIP2612: invalid signature');
  });

  test('only the faucet may mint or blacklist in sandbox USDC', async () => {
    const stranger = await createPayer(node);
    const { address } = stranger.account;
    const mint = stranger.writeContract({ ...usdc, functionName: 'mint', args: [address, 1n] });
    assert.equal(await reasonOf(mint), 'FiatToken: caller is not a minter');
    const blacklist = stranger.writeContract({ ...usdc, functionName: 'blacklist', args: [address] });
    assert.equal(await reasonOf(blacklist), 'Blacklistable: caller is not the blacklister');
    const minter = await client.readContract({ ...usdc, functionName: 'minter' });
    const asMinter = await client.simulateContract({ ...usdc, functionName: 'blacklist', args: [address], account: minter });
    assert.equal(asMinter.request.args[0], address);
  });

  test('a blacklisted account can neither send nor receive USDC', async () => {
    const payer = await createPayer(node, { micros: 1n });
    // The flag is set for one simulated call only.
    const slot = keccak256(concat([pad(payer.account.address), toHex(sandboxUsdc.slots.isBlacklisted, { size: 32 })]));
    const stateOverride = [{ address: usdc.address, stateDiff: [{ slot, value: toHex(1n, { size: 32 }) }] }];
    const simulate = (account: Address, to: Address) =>
      client.simulateContract({ ...usdc, functionName: 'transfer', args: [to, 0n], account, stateOverride });
    assert.equal(await reasonOf(simulate(payer.account.address, randomAddress())), 'Blacklistable: account is blacklisted');
    assert.equal(await reasonOf(simulate(randomAddress(), payer.account.address)), 'Blacklistable: account is blacklisted');
    assert.ok(await simulate(randomAddress(), randomAddress()));
  });

  test('many reads go through Multicall3 in one call, and a failing one does not affect the others', async () => {
    const payer = await createPayer(node, { micros: 12n });
    const results = await client.multicall({
      contracts: [
        { ...usdc, functionName: 'balanceOf', args: [payer.account.address] },
        { ...usdc, functionName: 'transferFrom', args: [randomAddress(), randomAddress(), 1n] },
        { ...usdc, functionName: 'decimals' },
      ],
    });
    assert.deepEqual(
      results.map(({ status, result }) => [status, result]),
      [
        ['success', 12n],
        ['failure', undefined],
        ['success', 6],
      ],
    );
  });
});
