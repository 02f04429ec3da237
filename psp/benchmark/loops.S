# The loops of the benchmark: each repeats instructions whose cost is not known for sure. Declared in loops.hpp.
#
# void pspllm_loop_NAME(std::uint32_t iterations, void* memory): $4 counts down, $5 points to the memory.
# The VFPU's instructions and the Allegrex's own are written as words: GNU's assembler does not know them.
# $8 and up, $f4 and up and matrix 0 of the VFPU are free to use.

        .set noreorder
        .set noat
        .section .text.pspllm_loops, "ax", @progbits

.macro begin_loop name
        .balign 64
        .globl  pspllm_loop_\name
        .type   pspllm_loop_\name, @function
pspllm_loop_\name:
1:
.endm

.macro end_loop
        addiu   $4, $4, -1
        bnez    $4, 1b
        nop
        jr      $31
        nop
.endm

.macro integer_work count               # independent of everything else
        .rept   \count
        addu    $9, $10, $11
        .endr
.endm

        begin_loop empty
        end_loop

        begin_loop multiply_accumulate
        .rept   64
        .word   0x0109001C              # madd $8, $9
        .endr
        end_loop

        begin_loop transform            # vtfm4.q C300, M100, C200: four cycles of the VFPU
        .rept   32
        .word   0xF188848C
        .endr
        end_loop

        begin_loop transform_integer
        .rept   32
        .word   0xF188848C
        integer_work 3
        .endr
        end_loop

        begin_loop divide_integer
        .rept   8
        div.s   $f4, $f6, $f8
        integer_work 24
        .endr
        end_loop

        begin_loop float_move           # each waits for the one before
        .rept   64
        mov.s   $f4, $f4
        .endr
        end_loop

        begin_loop float_load
        .rept   32
        lwc1    $f4, 0($5)
        add.s   $f6, $f4, $f4
        .endr
        end_loop

        begin_loop to_float
        .rept   32
        mtc1    $8, $f4
        add.s   $f6, $f4, $f4
        .endr
        end_loop

        begin_loop from_float
        .rept   32
        mfc1    $8, $f4
        addu    $9, $8, $8
        .endr
        end_loop

        begin_loop vector_load          # lv.q C000, 0($5); vadd.q C010, C000, C000
        .rept   32
        .word   0xD8A00000
        .word   0x60008081
        .endr
        end_loop

        begin_loop vector_store         # sv.q C000, 0($5)
        .rept   64
        .word   0xF8A00000
        .endr
        end_loop

        begin_loop to_vector            # mtv $8, S000; vadd.s S010, S000, S000
        .rept   32
        .word   0x48E80000
        .word   0x60000001
        .endr
        end_loop

        begin_loop from_vector          # mfv $8, S000; addu
        .rept   32
        .word   0x48680000
        addu    $9, $8, $8
        .endr
        end_loop

# vcmp.q C000 == C000; vcmovt.q C, C000, CC[3]: a conditional move reads its own register too, so four take turns
        begin_loop compare_move
        .rept   8
        .set    register, 1
        .rept   4
        .word   0x6C008081
        .word   0xD2A38080 | register
        .set    register, register + 1
        .endr
        .endr
        end_loop

        begin_loop nullified_slot       # a likely branch that falls through
        .rept   64
        bnel    $0, $0, 1b
        addu    $9, $10, $11
        .endr
        end_loop

        begin_loop cache_operation      # cache 0x1E (fill) on a line that is there
        .rept   64
        .word   0xBCBE0000
        .endr
        end_loop

# Streams: an iteration passes over 16 lines; the caller gives at least iterations * 1024 bytes.
.macro next_block
        addiu   $5, $5, 1024
.endm

        begin_loop stream_read
        .set    offset, 0
        .rept   16
        lw      $8, offset($5)
        .set    offset, offset + 64
        .endr
        next_block
        end_loop

        begin_loop stream_change        # the same value goes back: the line is changed, its content is not
        .set    offset, 0
        .rept   16
        lw      $8, offset($5)
        sw      $8, offset($5)
        .set    offset, offset + 64
        .endr
        next_block
        end_loop

        begin_loop stream_work          # a line, then work for as long as a line takes
        .set    offset, 0
        .rept   16
        lw      $8, offset($5)
        integer_work 64
        .set    offset, offset + 64
        .endr
        next_block
        end_loop

        begin_loop stream_prefetch_work # the same with the next line asked for before the work
        .set    offset, 0
        .rept   16
        lw      $8, offset($5)
        .word   0xBCBE0000 | (offset + 64)
        integer_work 63
        .set    offset, offset + 64
        .endr
        next_block
        end_loop

# Lines that do not follow each other, all within one memory row of 2 KB, and of 64 KB apart.
        begin_loop near_lines
        .set    offset, 0
        .rept   8
        lw      $8, offset($5)
        .set    offset, offset + 128
        .endr
        next_block
        end_loop

        begin_loop far_lines
        addu    $12, $5, $0
        lui     $13, 1
        .rept   8
        lw      $8, 0($12)
        addu    $12, $12, $13
        .endr
        addiu   $5, $5, 128
        end_loop

        begin_loop load_loop            # every word from the same address: uncached when the caller's pointer is
        .rept   32
        lw      $8, 0($5)
        .endr
        end_loop

        begin_loop store_loop
        .rept   32
        sw      $8, 0($5)
        .endr
        end_loop
