// OpenCV's decoders are linked to GDAL and GDCM, which bring a hundred other libraries, for formats that Softscope
// refuses before it decodes anything (core/image/PictureFormat.h). The wheel has this in their place: every function
// that OpenCV could call, each of which reads nothing.
#define READS_NOTHING(function) \
  void* function(void) {        \
    return 0;                   \
  }

READS_NOTHING(GDALAllRegister)
READS_NOTHING(GDALClose)
READS_NOTHING(GDALGetDataTypeName)
READS_NOTHING(GDALOpen)
READS_NOTHING(_ZN11GDALDataset13GetRasterBandEi)
READS_NOTHING(_ZN11GDALDataset14GetRasterCountEv)
READS_NOTHING(_ZN11GDALDataset14GetRasterXSizeEv)
READS_NOTHING(_ZN11GDALDataset14GetRasterYSizeEv)
READS_NOTHING(_ZN14GDALRasterBand17GetRasterDataTypeEv)
READS_NOTHING(_ZN14GDALRasterBand8GetXSizeEv)
READS_NOTHING(_ZN14GDALRasterBand8GetYSizeEv)
READS_NOTHING(_ZN14GDALRasterBand8RasterIOE10GDALRWFlagiiiiPvii12GDALDataTypexxP20GDALRasterIOExtraArg)
READS_NOTHING(_ZNK14GDALColorTable13GetColorEntryEi)
READS_NOTHING(_ZNK14GDALColorTable24GetPaletteInterpretationEv)
READS_NOTHING(_ZN4gdcm11ImageReader4ReadEv)
READS_NOTHING(_ZN4gdcm11ImageReader8GetImageEv)
READS_NOTHING(_ZN4gdcm11ImageReaderC1Ev)
READS_NOTHING(_ZN4gdcm11ImageReaderD1Ev)
READS_NOTHING(_ZN4gdcm6Reader11SetFileNameEPKc)
READS_NOTHING(_ZNK4gdcm11PixelFormat13GetScalarTypeEv)
READS_NOTHING(_ZNK4gdcm6Bitmap13GetDimensionsEv)
READS_NOTHING(_ZNK4gdcm6Bitmap15GetBufferLengthEv)
READS_NOTHING(_ZNK4gdcm6Bitmap21GetNumberOfDimensionsEv)
READS_NOTHING(_ZNK4gdcm6Bitmap28GetPhotometricInterpretationEv)
READS_NOTHING(_ZNK4gdcm6Bitmap9GetBufferEPc)
