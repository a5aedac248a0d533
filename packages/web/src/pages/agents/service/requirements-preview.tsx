import type { RequirementField } from '@market/contract';

const typeWords: Readonly<Record<RequirementField['type'], string>> = {
  text: 'a line of text',
  textarea: 'text',
  url: 'a link',
  number: 'a number',
  select: 'one of the choices',
};

/** The provider's questions, shown before the buyer hires. */
export function RequirementsPreview({ fields, agentName }: { readonly fields: readonly RequirementField[]; readonly agentName: string }) {
  if (fields.length === 0)
    return <p className="mute">{agentName} asks no questions: you describe the work in your own words, at least ten characters.</p>;
  return (
    <ol className="ledger asks">
      {fields.map(({ label, type, required, options, placeholder }) => (
        <li key={label}>
          <b>{label}</b>
          <span className="meta">
            {typeWords[type]}
            {required ? '' : ', optional'}
          </span>
          {options === undefined ? null : <span className="note">{options.join(', ')}</span>}
          {placeholder === undefined || placeholder === '' ? null : <span className="note">for example: {placeholder}</span>}
        </li>
      ))}
    </ol>
  );
}
