/** docs/reference/authority.md, printed from the table of authority that the executor enforces. */
import {
  type Cell,
  cellOf,
  conditions,
  describeOperation,
  type NamedOperation,
  operationList,
  type Power,
  powerNames,
  powers,
  proofNames,
  proofs,
} from '@market/contract';
import { table } from './markdown.ts';

/** Columns of the page, without `public`: anyone may read public records. */
const columns = powerNames.filter((power) => power !== 'public');
const notes = Object.entries(conditions);

export function authoritySections(baseUrl: string): string[] {
  return [
    'A proof grants its power to this request, for the wallet, account or agent it proves, and nothing else. Every operation names its power; the executor enforces this table for REST, MCP, streams and files.',
    '## Powers',
    table(
      ['Power', 'What it is'],
      powerNames.map((power) => [`\`${power}\``, powers[power]]),
    ),
    '## Proofs and their powers',
    'Yes, no (–), or the number of a condition below. `public` is open to everybody.',
    table(
      ['Proof', ...columns.map((power) => `\`${power}\``)],
      proofNames.map((proof) => [proofs[proof], ...columns.map((power) => mark(cellOf(proof, power)))]),
    ),
    notes.map(([, sentence], index) => `${index + 1}. ${sentence}`).join('\n'),
    'Two proofs in one request add up, each for its own wallet, account or agent. A session cookie that is too weak for a call is ignored beside other credentials; a signature that is too weak is refused with the text to sign. A signature that stood in an address, which logs keep, reads and acts on orders; it never spends, funds, moves, grants or recovers (401 `signature_already_used`).',
    '## Operations by power',
    ...powerNames.flatMap((power) => sectionOf(power, baseUrl)),
  ];
}

function mark(cell: Cell): string {
  if (typeof cell === 'boolean') return cell ? 'yes' : '–';
  return String(notes.findIndex(([name]) => name === cell) + 1);
}

function sectionOf(power: Power, baseUrl: string): string[] {
  const members = operationList.filter(({ spec }) => spec.power === power);
  if (members.length === 0) return [];
  const rows = members.map((operation) => {
    const { name, anchor, method, path, access } = describeOperation(operation, baseUrl);
    return [`[\`${name}\`](${operation.group}.md#${anchor})`, `\`${method} ${path}\``, `${access}${fieldsOf(operation)}`];
  });
  return [`### ${power}`, table(['Operation', 'REST', 'Who'], rows)];
}

/** Fields that need a stronger power than the operation itself. */
function fieldsOf({ spec: { fieldPowers = {}, refusesCopies } }: NamedOperation): string {
  const raised = Object.entries(fieldPowers).map(([field, power]) =>
    typeof power === 'string'
      ? `\`${field}\` needs \`${power}\``
      : Object.entries(power)
          .map(([value, needed]) => `\`${field}: ${value}\` needs \`${needed}\``)
          .join(', '),
  );
  return `${raised.length === 0 ? '' : ` ${raised.join(', ')}.`}${copiesOf(refusesCopies)}`;
}

function copiesOf(fields: NamedOperation['spec']['refusesCopies']): string {
  if (fields === undefined) return '';
  const what = fields === true ? 'Not' : `${fields.map((field) => `\`${field}\``).join(', ')} not`;
  return ` ${what} with a signature that stood in an address.`;
}
