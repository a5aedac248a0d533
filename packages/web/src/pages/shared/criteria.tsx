import './criteria.css';

/** The criteria of a good result, as a checklist. */
export function Criteria({ criteria }: { readonly criteria: readonly string[] }) {
  return (
    <ul className="criteria">
      {criteria.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same words may stand there twice
        <li key={index}>{one}</li>
      ))}
    </ul>
  );
}
