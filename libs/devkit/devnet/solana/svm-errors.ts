import type { FailedTransactionMetadata } from 'litesvm/dist/internal.js';

/** Errors of transactions in the shape JSON-RPC shows them: a name, or an object with one. */
export type TransactionError = string | Record<string, unknown>;

const TRANSACTION_ERRORS = `AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound
InsufficientFundsForFee InvalidAccountForFee AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee
InvalidAccountIndex SignatureFailure InvalidProgramForExecution SanitizeFailure ClusterMaintenance
AccountBorrowOutstanding WouldExceedMaxBlockCostLimit UnsupportedVersion InvalidWritableAccount
WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit TooManyAccountLocks AddressLookupTableNotFound
InvalidAddressLookupTableOwner InvalidAddressLookupTableData InvalidAddressLookupTableIndex InvalidRentPayingAccount
WouldExceedMaxVoteCostLimit WouldExceedAccountDataTotalLimit MaxLoadedAccountsDataSizeExceeded ResanitizationNeeded
InvalidLoadedAccountsDataSizeLimit UnbalancedTransaction ProgramCacheHitMaxLimit CommitCancelled`.split(/\s+/);

const INSTRUCTION_ERRORS = `GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall
InsufficientFunds IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized UninitializedAccount
UnbalancedInstruction ModifiedProgramId ExternalAccountLamportSpend ExternalAccountDataModified ReadonlyLamportChange
ReadonlyDataModified DuplicateAccountIndex ExecutableModified RentEpochModified NotEnoughAccountKeys
AccountDataSizeChanged AccountNotExecutable AccountBorrowFailed AccountBorrowOutstanding DuplicateAccountOutOfSync
InvalidError ExecutableDataModified ExecutableLamportChange ExecutableAccountNotRentExempt UnsupportedProgramId
CallDepth MissingAccount ReentrancyNotAllowed MaxSeedLengthExceeded InvalidSeeds InvalidRealloc
ComputationalBudgetExceeded PrivilegeEscalation ProgramEnvironmentSetupFailure ProgramFailedToComplete
ProgramFailedToCompile Immutable IncorrectAuthority AccountNotRentExempt InvalidAccountOwner ArithmeticOverflow
UnsupportedSysvar IllegalOwner MaxAccountsDataAllocationsExceeded MaxAccountsExceeded
MaxInstructionTraceLengthExceeded BuiltinProgramsMustConsumeComputeUnits BorshIoError`.split(/\s+/);

export function errorOf(failed: FailedTransactionMetadata): TransactionError {
  const error: unknown = failed.err();
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? `TransactionError(${error})`;
  const kind = (error as object).constructor.name;
  const { index, accountIndex } = error as { index?: number; accountIndex?: number };
  if (kind === 'TransactionErrorDuplicateInstruction') return { DuplicateInstruction: index };
  if (kind === 'TransactionErrorInsufficientFundsForRent') {
    return { InsufficientFundsForRent: { account_index: accountIndex } };
  }
  if (kind === 'TransactionErrorProgramExecutionTemporarilyRestricted') {
    return { ProgramExecutionTemporarilyRestricted: { account_index: accountIndex } };
  }
  return { InstructionError: [index, instructionError((error as { err(): unknown }).err())] };
}

function instructionError(error: unknown): TransactionError {
  if (typeof error === 'number') return INSTRUCTION_ERRORS[error] ?? `InstructionError(${error})`;
  const { code } = error as { code?: number };
  return code === undefined ? 'BorshIoError' : { Custom: code };
}

/** The sentence a node says about an error. */
export function errorSentence(error: TransactionError): string {
  if (typeof error === 'string') return SENTENCES[error] ?? spaced(error);
  const inner = error.InstructionError as [number, TransactionError] | undefined;
  if (!inner) return spaced(Object.keys(error)[0] ?? '');
  const [index, cause] = inner;
  if (typeof cause === 'string') return `Error processing Instruction ${index}: ${spaced(cause)}`;
  const code = Number(cause.Custom);
  return `Error processing Instruction ${index}: custom program error: 0x${code.toString(16)}`;
}

const SENTENCES: Record<string, string> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  SignatureFailure: 'Transaction did not pass signature verification',
};

function spaced(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
}
