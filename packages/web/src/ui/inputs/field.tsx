/** Form fields: label, hint, error, in the order that screen readers need. */
import './field.css';
import { type ReactNode, useId } from 'react';
import { classNames } from '../words/class-names.ts';

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly optional?: boolean;
  /** Shows the label to screen readers only. */
  readonly bare?: boolean;
}

interface FieldParts {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

function Field({
  label,
  hint,
  error,
  optional = false,
  bare = false,
  children,
}: FieldProps & { readonly children: (parts: FieldParts) => ReactNode }) {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .filter((part) => part !== '')
    .join(' ');
  return (
    <div className={classNames('field-row', error !== undefined && 'wrong')}>
      <label htmlFor={id} className={bare ? 'visually-hidden' : undefined}>
        {label}
        {optional ? <span className="meta"> optional</span> : null}
      </label>
      {hint === undefined ? null : (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        'aria-invalid': error === undefined ? undefined : true,
        'aria-describedby': described === '' ? undefined : described,
      })}
      {error === undefined ? null : (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

export interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly name?: string;
  readonly type?: 'text' | 'url' | 'email' | 'search' | 'number' | 'password';
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'url';
  readonly placeholder?: string | undefined;
  readonly maxLength?: number;
  readonly required?: boolean;
  readonly autoComplete?: string;
  readonly mono?: boolean;
}

export function TextField({
  value,
  onChange,
  name,
  type = 'text',
  inputMode,
  placeholder,
  maxLength,
  required,
  autoComplete = 'off',
  mono,
  ...field
}: TextFieldProps) {
  return (
    <Field {...field}>
      {(parts) => (
        <input
          {...parts}
          className={classNames('input', mono === true && 'mono')}
          name={name}
          type={type}
          inputMode={inputMode}
          value={value}
          placeholder={placeholder}
          maxLength={maxLength}
          required={required}
          autoComplete={autoComplete}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface TextAreaProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly name?: string;
  readonly placeholder?: string | undefined;
  readonly maxLength?: number;
  readonly rows?: number;
  readonly required?: boolean;
}

export function TextArea({ value, onChange, name, placeholder, maxLength, rows = 4, required, ...field }: TextAreaProps) {
  return (
    <Field {...field}>
      {(parts) => (
        <textarea
          {...parts}
          className="input"
          name={name}
          value={value}
          placeholder={placeholder}
          maxLength={maxLength}
          rows={rows}
          required={required}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface SelectFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly choices: readonly Choice[];
  readonly name?: string;
  readonly required?: boolean;
}

export function SelectField({ value, onChange, choices, name, required, ...field }: SelectFieldProps) {
  return (
    <Field {...field}>
      {(parts) => (
        <select
          {...parts}
          className="input"
          name={name}
          value={value}
          required={required}
          onChange={(event) => onChange(event.target.value)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export interface RangeFieldProps extends FieldProps {
  readonly value: number;
  readonly most: number;
  readonly onChange: (value: number) => void;
  /** The text for screen readers instead of the bare number. */
  readonly spoken: string;
}

export function RangeField({ value, most, onChange, spoken, ...field }: RangeFieldProps) {
  return (
    <Field {...field}>
      {(parts) => (
        <input
          {...parts}
          className="range-input"
          type="range"
          min={0}
          max={most}
          value={value}
          aria-valuetext={spoken}
          onChange={(event) => onChange(Number(event.target.value))}
        />
      )}
    </Field>
  );
}

export interface RadioRow {
  readonly value: string;
  readonly label: ReactNode;
  /** An icon before the label. */
  readonly mark?: ReactNode;
  /** Shown at the right end: a balance, a state. */
  readonly aside?: ReactNode;
}

export interface RadioRowsProps {
  readonly legend: ReactNode;
  readonly rows: readonly RadioRow[];
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
  /** Side by side if there is room. */
  readonly across?: boolean;
  readonly error?: string | undefined;
}

export function RadioRows({ legend, rows, value, onChange, across = false, error }: RadioRowsProps) {
  const name = useId();
  return (
    <fieldset className="radios" aria-describedby={error === undefined ? undefined : `${name}-error`}>
      <legend>{legend}</legend>
      <div className={across ? 'across' : 'rows'}>
        {rows.map((row) => (
          <label className="option" key={row.value}>
            <input type="radio" name={name} value={row.value} checked={row.value === value} onChange={() => onChange(row.value)} />
            {row.mark}
            <span>{row.label}</span>
            {row.aside === undefined ? null : <span className="subtle">{row.aside}</span>}
          </label>
        ))}
      </div>
      {error === undefined ? null : (
        <p className="error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

export function CheckField({
  label,
  checked,
  onChange,
}: {
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}
