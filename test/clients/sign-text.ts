/** Signs the text on standard input with the EVM key of the first argument, as a person's own wallet program does. */
import { text } from 'node:stream/consumers';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

process.stdout.write(await privateKeyToAccount(process.argv[2] as Hex).signMessage({ message: await text(process.stdin) }));
