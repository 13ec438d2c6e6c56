/** Every sentence of this package that a model reads. */

export const cutOff = "The answer was cut off, so none of its calls ran. Make the call again, in a shorter answer."

export const unusableId = "The call had no usable id, so it did not run. Make the call again."
